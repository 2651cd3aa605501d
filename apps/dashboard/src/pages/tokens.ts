// Amounts of tokens, with the symbol that people know them by.
import { formatTokens } from '../kit/money.tsx'
import { symbolOf, type Token } from './symbols.ts'

/** With every digit: `0.25 ETH`. */
export const tokensText = (amount: string | null, token: Token): string =>
  `${formatTokens(amount)} ${symbolOf(token)}`.trim()
