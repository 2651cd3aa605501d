// What the program needs of its process. `main.ts` supplies the real one.
import type { Paint } from './paint.ts'

export interface Environment {
  readonly terminal: Terminal
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** The folder of the program's settings. */
  readonly configFolder: string
  readonly cwd: string
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal
  now(): Date
  random(): number
  newId(): string
  randomBytes(count: number): Uint8Array
  /** Ends early, without an error, when the signal is aborted. */
  sleep(durationMs: number): Promise<void>
}

export interface Terminal {
  /** Prints a result: one line or several. */
  out(text: string): void
  /** Prints progress and notes to standard error. */
  note(text: string): void
  /** Columns of the terminal; Infinity when the output is not a terminal. */
  readonly columns: number
  /** Whether a person can answer prompts. */
  readonly isInteractive: boolean
  readonly outPaint: Paint
  readonly notePaint: Paint
  ask(question: string): Promise<string>
  /** The input is not echoed. */
  askSecretly(question: string): Promise<string>
  /** All of the standard input. */
  readInput(): Promise<string>
}
