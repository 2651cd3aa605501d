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
  fees: (service: string, earner: 'merchant' | 'partner', earned: string) =>
    `Fees within the account’s own trades that settled in the month: service ${service}, ${earner} ${earned}.`,
  pdf: 'Save PDF',
  csv: 'Save CSV',
}
