// The ledger: what it does for the other modules. Those that post in the statement that changes their own
// rows call the SQL functions of 0001_ledger.sql; the others call `post`.
export {
  type Audit,
  type AuditPart,
  createAudit,
  partOfIds,
} from './audit.ts'
export { readBalance, readWallet, readWallets } from './balances.ts'
export { demoDeposit } from './demo-deposit.ts'
export type { Entry, EntryStatus, EntryType, Side } from './entry.ts'
export { EXPORT_TRANSFERS, exportLedger, ledgerExport } from './export.ts'
export { type Funding, findFunding, fund, type Transferred, transferEarnings } from './fund.ts'
export { type HistoryFilter, history, isNarrowed } from './history.ts'
export {
  type MonthlyStatement,
  readMonthlyStatement,
  type WalletMonth,
} from './monthly-statement.ts'
export { openWallets } from './open-wallets.ts'
export { type ShownRow, type StatementRow, statement } from './statement.ts'
export {
  type AccountRef,
  findOwnersWithMoney,
  type Journal,
  type JournalRef,
  type Leg,
  listPostingsAbout,
  lockOwnersWithMoney,
  lockWallets,
  type Posted,
  type PostingAbout,
  post,
  readExchange,
  readJournalRefs,
} from './store.ts'
export type { Wallet, WalletKind } from './wallet.ts'
