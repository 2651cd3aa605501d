// Identity: what it does for the other modules.
export type {
  AccountStatus,
  Child,
  ListedChild,
  Merchant,
  MerchantFees,
  PartnerFees,
  SubUser,
  SubUserChange,
  SubUserLimits,
  Tier,
} from './account.ts'
export {
  type AccountFilter,
  type AccountSettings,
  type AccountSummary,
  changeKey,
  type DescribedAccount,
  describeAccount,
  findAccount,
  findAccountsNamed,
  getKey,
  isEmailTaken,
  type KeyChange,
  type KeySummary,
  type ListedAccount,
  listAccounts,
  listKeys,
  lockKey,
  lockKeyCounts,
  lockSettings,
  readSettings,
  refuseUnknownAccounts,
  rotateKey,
  setAccountName,
  setAccountStatus,
  setDebtRecovery,
  setFees,
} from './administration.ts'
export { type AnsweringDeps, createAnswering } from './answer-trade-urls.ts'
export { type KeyEnvironment, looksLikeKey } from './api-key.ts'
export type { FoundKey, KeyBounds, KeyKind, KeyScope } from './api-key-store.ts'
export { type AskedPlatform, createAskedPlatform } from './ask-trade-url.ts'
export { deletedAccountsPart } from './audit-deleted.ts'
export { createTokenAuthorizer, type TokenSession, type TokenSubject } from './authorize-token.ts'
export {
  changeSubUser,
  reactivateSubUser,
  suspendSubUser,
} from './change-sub-user.ts'
export { findChildren, readFirstKeys } from './child-store.ts'
export {
  type ChildReference,
  createChild,
  getChild,
  type NewChild,
  sliceChildren,
} from './children.ts'
export {
  type CloseBusiness,
  closeMerchant,
  type DeletionDeps,
  deleteSubUser,
  type FindOpenBusiness,
} from './close.ts'
export { createSubUser, type NewSubUser } from './create-sub-user.ts'
export {
  type FoundAccount,
  findAccounts,
  findKeysById,
  findPartnersAmong,
  listMerchantsAfter,
  readAccountEmails,
  readAccountNames,
  readNamesWithin,
} from './find-accounts.ts'
export { type CallerReference, type CallingAccount, createCallerFinder } from './find-callers.ts'
export { createPartnerAccountFinder, type PartnerAccount } from './find-partner-account.ts'
export { getMerchant } from './get-merchant.ts'
export { getSubUser } from './get-sub-user.ts'
export {
  KEY_REQUESTS_BY_DAY,
  KEY_REQUESTS_DAYS,
  type KeyRequest,
  listKeyRequests,
} from './key-request-store.ts'
export {
  ACCOUNT_STATUS_CHANNEL,
  createKeyChecker,
  createKeyFinder,
  issueKey,
  type KeyOrder,
  revokeKey,
  watchAccountStatus,
  watchKeys,
} from './keys.ts'
export { listSubUsers, sliceSubUsers } from './list-sub-users.ts'
export { accountRefusal, keepAccount } from './lock-account.ts'
export { type LookedUp, purgeLookUps, TRADE_URLS_DUE } from './look-up-store.ts'
export { createKeyRequestNotes } from './note-key-requests.ts'
export type {
  GamePlatform,
  LookUpContext,
  ParsedTradeUrl,
  Persona,
  TradeUrlAnswer,
  TradeUrlSource,
} from './ports.ts'
export {
  createAdmin,
  createMerchant,
  createPartner,
  type NewMerchant,
  type NewPartner,
  type Principal,
} from './principals.ts'
export {
  createTradeUrlResolver,
  type ResolvedTradeUrl,
  type ResolveTradeUrl,
  type ResolveTradeUrlDeps,
} from './resolve-trade-url.ts'
export {
  countSpends,
  giveBackSpend,
  hasSpendLimit,
  isBeyondLimitOf,
  limitRefusal,
  lockLimitOf,
  purgeSpends,
  readSpent,
  type Spend,
  type SpendLimit,
  setSpendLimit,
} from './spend-limit.ts'
export {
  findMerchantId,
  findSubUsers,
  findSuspended,
  readExternalIds,
  readNewestSubUsers,
  readSubUsersById,
  type SubUserFilter,
  setTier,
} from './store.ts'
export { platformIdOf, type TradeUrl } from './trade-url.ts'
export { readTradeUrlSource, writeTradeUrlSource } from './trade-url-source.ts'
export { readTradeUrls } from './trade-url-store.ts'
export { addTradeUrl, makePrimary, removeTradeUrl } from './trade-urls.ts'
