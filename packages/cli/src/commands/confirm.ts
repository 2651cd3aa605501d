// Asking before money is spent, and words of a command that can be pasted.
import type { CommonOptions } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, usageError } from '../failure.ts'

/** `yes` was given, or a person answers the question with it; otherwise nothing was `done`. */
export async function confirm(
  { terminal }: Environment,
  { yes }: { readonly yes?: boolean },
  { question, done } = { question: 'Buy it?', done: 'bought' },
): Promise<void> {
  if (yes) return
  if (!terminal.isInteractive) throw usageError('There is no terminal to confirm on. Pass --yes.')
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(`Nothing was ${done}.`)
}

export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** What a printed command needs to run with the same profile. */
export const profileWords = ({ profile }: CommonOptions): string =>
  profile === undefined ? '' : ` --profile ${shellWord(profile)}`
