// What the program needs of its process. `main.ts` supplies the real one.
import type { Paint } from './paint.ts'

export interface ProcessEnvironment {
  readonly terminal: Terminal
  /** What a person types to start the program: `tradepost`, or `npx tradepost`. */
  readonly startedAs: string
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

/** What a command gets: its process, and how it names other commands. */
export interface Environment extends ProcessEnvironment {
  /** A command as it can be pasted where this one was typed: started alike, with the same profile. */
  commandLine(words: string): string
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
  /** All of the standard input; empty where it is a terminal. */
  readInput(): Promise<string>
}
