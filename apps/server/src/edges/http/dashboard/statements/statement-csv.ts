// A statement as CSV, a line for each figure, as spreadsheets take it: with a byte order mark and CRLF. All
// values are numbers and words of ours, so none is read as a formula.
import { cents, formatCents } from '#kernel/money'
import type { MonthlyStatement } from '#ledger'

const HEAD = ['number', 'month', 'wallet', 'currency', 'line', 'count', 'credit', 'debit', 'amount']
const NO_SUMS = ['', '', '']

/** `amount` of a type is its credit less its debit; of a balance and a fee the figure itself. */
export function statementCsv({ number, month, wallets }: MonthlyStatement): string {
  const lines = wallets.flatMap(({ kind, currency, opening, closing, rows, fees }) => {
    const line = (name: string, sums: readonly string[], amount: bigint): string =>
      [number ?? '', month, kind, currency, name, ...sums, formatCents(cents(amount))].join(',')
    return [
      line('opening', NO_SUMS, opening),
      ...rows.map(({ type, count, credit, debit }) =>
        line(type, [String(count), formatCents(credit), formatCents(debit)], credit - debit),
      ),
      line('closing', NO_SUMS, closing),
      ...(kind === 'spot'
        ? [line('fees_house', NO_SUMS, fees.house), line('fees_merchant', NO_SUMS, fees.merchant)]
        : []),
    ]
  })
  return `\uFEFF${[HEAD.join(','), ...lines].map((line) => `${line}\r\n`).join('')}`
}
