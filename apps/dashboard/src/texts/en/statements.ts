// Texts of monthly statements.
export const statements = {
  title: 'Statements',
  month: 'Month (UTC)',
  monthHint: 'Closed months never change.',
  open: 'This month is not over: the figures are as of now.',
  closed: (number: string) => `Statement ${number}. The month is closed and does not change.`,
  line: 'Type',
  opening: 'Opening balance',
  closing: 'Closing balance',
  total: 'Total of credits and debits',
  wallets: { spot: 'Spot wallet', earnings: 'Earnings wallet' },
  count: 'Entries',
  credit: 'Credit',
  debit: 'Debit',
  balance: 'Balance',
  fees: (service: string, merchant: string) =>
    `Fees included in the account’s own trades this month: service ${service}, merchant ${merchant}.`,
  pdf: 'Save PDF',
  csv: 'Save CSV',
}
