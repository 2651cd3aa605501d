// Asking before money is spent, and words of a command that can be pasted.
import type { Environment } from '../environment.ts'
import { CommandError, usageError } from '../failure.ts'
import type { BuyOptions } from './market-options.ts'

export async function confirm({ terminal }: Environment, { yes }: BuyOptions): Promise<void> {
  if (yes) return
  if (!terminal.isInteractive)
    throw usageError('There is no terminal to confirm on. Pass --yes to buy.')
  const answer = await terminal.ask('Buy it? [y/N] ')
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was bought.')
}

export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
