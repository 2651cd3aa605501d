// What was asked on the command line, and how a wrong question is answered.

export interface Invocation {
  readonly command: string
  readonly argument: string | undefined
  /** What comes after the argument, for commands with commands of their own. */
  readonly more: readonly string[]
  readonly options: Readonly<Options>
}

export interface Options {
  readonly merchant?: string
  readonly overlap?: string
  readonly status?: string
  readonly since?: string
  readonly reason?: string
  readonly state?: string
  readonly kind?: string
  readonly by?: string
  readonly buying?: string
  readonly least?: string
  readonly most?: string
  readonly discount?: string
  readonly price?: string
  readonly phase?: string
  readonly refuse?: boolean
  readonly clear?: boolean
  readonly json?: boolean
}

/** The question was wrong; the answer is the list of commands. */
export class Usage extends Error {}

export const usage = (problem: string): never => {
  throw new Usage(problem)
}
