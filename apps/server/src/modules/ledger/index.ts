// The ledger: what it does for the rest of the house. Trading posts through the SQL functions of
// 0001_ledger.sql, in the statement that changes the trade.
export { type Audit, createAudit, type Violation } from './audit.ts'
export { readBalance, readWallet, readWallets } from './balances.ts'
export { demoDeposit } from './demo-deposit.ts'
export type { Entry, EntryStatus, EntryType } from './entry.ts'
export { type Funding, findFunding, fund, type Transferred, transferEarnings } from './fund.ts'
export { type HistoryFilter, history } from './history.ts'
export { openWallets } from './open-wallets.ts'
export { listPostingsAbout, lockAndSum, type PostingAbout } from './store.ts'
export type { Wallet, WalletKind } from './wallet.ts'
