// The statement of a month, as merchants and partners read it.
import type { Statement as StatementShape } from '@tradepost/contract'
import type { MonthlyStatement, WalletMonth } from '#ledger'
import { moneyNumber } from '../money.ts'

export const statementView = ({
  month,
  number,
  isClosed,
  wallets,
}: MonthlyStatement): StatementShape => ({
  ...{ month, number, closed: isClosed },
  wallets: wallets.map(walletStatementView),
})

const walletStatementView = (wallet: WalletMonth): StatementShape['wallets'][number] => ({
  ...{ wallet: wallet.kind, currency: wallet.currency },
  ...{ opening: moneyNumber(wallet.opening), closing: moneyNumber(wallet.closing) },
  rows: wallet.rows.map(({ type, count, credit, debit }) => ({
    ...{ type, count, credit: moneyNumber(credit), debit: moneyNumber(debit) },
  })),
  fees: { house: moneyNumber(wallet.fees.house), merchant: moneyNumber(wallet.fees.merchant) },
})
