import { money } from '../texts/money.ts'

/** As people say it; a code that we do not know stays as it is. */
export const chainName = (chain: string): string => money.deposits.chains[chain] ?? chain
