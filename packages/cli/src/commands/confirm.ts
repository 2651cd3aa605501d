// Asking before money is spent.
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
