// Custody: the books in kind. Modules that post in the statement that changes their own rows call the SQL
// functions of 0015_custody.sql; the others call `post`.
export { auditCustodySlice, type CustodyTable, endOfCustodySlice } from './audit.ts'
export { closeAccounts } from './closing.ts'
export { type Correction, postCorrection } from './correction.ts'
export {
  auditCustody,
  type Balance,
  type CustodyAccount,
  findOwnersInCustody,
  listPostingsInKind,
  lockBalances,
  type OwnedRole,
  type Posting,
  type PostingInKind,
  post,
  type Role,
  readBalance,
  readBalances,
  readOwed,
  readOwnFunds,
  type ServiceRole,
} from './store.ts'
