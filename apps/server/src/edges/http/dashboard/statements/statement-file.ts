// What a file of a statement shows: the statement, and who it is from and about.
import { type Cents, formatCents } from '#kernel/money'
import type { MonthlyStatement } from '#ledger'

export interface StatementFile {
  readonly statement: MonthlyStatement
  readonly house: House
  /** The account of the wallets. */
  readonly account: { readonly id: string; readonly name: string }
  /** Who earns the other fee. */
  readonly earner: 'merchant' | 'partner'
  readonly madeAt: Date
}

/** Who issues statements. */
export interface House {
  readonly name: string
  /** Lines; none where no address is set. */
  readonly address: readonly string[]
}

/** With commas between thousands, as the page shows it. */
export const amountText = (amount: Cents): string =>
  formatCents(amount).replace(/\d(?=(\d{3})+\.)/g, '$&,')
