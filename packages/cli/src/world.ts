// What the program needs of the process that it runs in. `main.ts` has the real one.
import type { Paint } from './paint.ts'

export interface World {
  readonly terminal: Terminal
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** Where this program keeps its settings. */
  readonly configFolder: string
  readonly cwd: string
  /** Aborted when the person at the keyboard wants it to end. */
  readonly signal: AbortSignal
  now(): Date
  random(): number
  newId(): string
  randomBytes(count: number): Uint8Array
  /** Ends early, without an error, when the signal is aborted. */
  sleep(durationMs: number): Promise<void>
}

export interface Terminal {
  /** What was asked for: a line, or several. */
  out(text: string): void
  /** Progress and notes, which must not end in a pipe. */
  note(text: string): void
  /** Columns of the terminal; Infinity when the output is none. */
  readonly columns: number
  /** Somebody sits there who can be asked. */
  readonly isInteractive: boolean
  readonly outPaint: Paint
  readonly notePaint: Paint
  ask(question: string): Promise<string>
  /** What is typed is not shown. */
  askSecretly(question: string): Promise<string>
  /** All of the standard input. */
  readInput(): Promise<string>
}
