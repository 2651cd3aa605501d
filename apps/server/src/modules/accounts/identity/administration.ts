// What an administrator of the service reads and changes of accounts and keys.
import { type Queryable, sql, type Tx, violatedConstraint } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { isUuid, newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { type Page, pageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import type { AccountStatus, MerchantFees, Tier } from './account.ts'
import type { KeyEnvironment } from './api-key.ts'
import type { KeyBounds, KeyKind, KeyScope } from './api-key-store.ts'
import { issueKey } from './keys.ts'
import { type SpendLimit, setSpendLimit } from './spend-limit.ts'
import { setStatus } from './store.ts'

export interface AccountSummary {
  readonly id: string
  readonly kind: 'merchant' | 'sub_user' | 'partner' | 'child' | 'admin'
  readonly parentId: string | null
  readonly status: AccountStatus
  readonly currency: Currency
  readonly email: string | null
  readonly name: string | null
  readonly tier: Tier
}

const SUMMARY = `select a.id, a.kind, a.parent_id "parentId", a.status, a.currency, a.email, a.name, a.tier
  from identity.account a`
const FIND_BY_ID = sql(
  'identity.find_account_by_id',
  `${SUMMARY} where a.id = $1 union all
   ${SUMMARY} join identity.api_key k on k.account_id = a.id where k.id = $1 and a.kind in ('partner', 'child') limit 1`,
)
const FIND_BY_EMAIL = sql(
  'identity.find_account_by_email',
  `${SUMMARY} where lower(a.email) = lower($1) and a.kind in ('merchant', 'partner', 'admin')`,
)
/**
 * By id, by the e-mail of an account that can log in, or by the id of a key, as the partner interface names
 * accounts. Deleted accounts are found, too.
 */
export async function findAccount(
  db: Queryable,
  reference: string,
): Promise<AccountSummary | null> {
  const find = isUuid(reference) ? FIND_BY_ID : FIND_BY_EMAIL
  const [account] = await db.query<AccountSummary>(find, [reference])
  return account ?? null
}

const FIND_BY_NAME = sql(
  'identity.find_accounts_by_name',
  `${SUMMARY} where lower(a.name) = lower($1) and a.kind in ('merchant', 'partner', 'child')
     and a.status <> 'deleted' limit 2`,
)
/**
 * By an id or an address as `findAccount`, and otherwise by the whole name of a merchant, a partner or a
 * child. Names are not unique: of those that share one two come, so that the caller sees that it names none.
 * What looks like an address or an id is no name: an account chooses its own, and could choose another's.
 */
export async function findAccountsNamed(
  db: Queryable,
  reference: string,
): Promise<readonly AccountSummary[]> {
  if (!reference.includes('@') && !isUuid(reference)) {
    return db.query<AccountSummary>(FIND_BY_NAME, [reference])
  }
  const account = await findAccount(db, reference)
  return account === null ? [] : [account]
}

export interface AccountSettings {
  readonly id: string
  readonly kind: AccountSummary['kind']
  readonly status: AccountStatus
  readonly tier: Tier
  readonly feeBps: number | null
  readonly buyFeeBps: number | null
  readonly sellFeeBps: number | null
  readonly childDefaultFeeBps: number | null
  /** Debts of its users are taken from its spot wallet. */
  readonly recoversDebts: boolean
}

const SETTINGS = `select id, kind, status, tier, fee_bps "feeBps", buy_fee_bps "buyFeeBps", sell_fee_bps "sellFeeBps",
  child_default_fee_bps "childDefaultFeeBps", recovers_debts "recoversDebts" from identity.account where id = $1`
const READ_SETTINGS = sql('identity.read_settings', SETTINGS)
const LOCK_SETTINGS = sql(
  'identity.lock_settings',
  `${SETTINGS} and status <> 'deleted' for no key update`,
)

/** What an administrator may change of an account. Refuses USER_NOT_FOUND. */
export async function readSettings(db: Queryable, id: string): Promise<AccountSettings> {
  const [settings] = await db.query<AccountSettings>(READ_SETTINGS, [id])
  return settings ?? refuse('USER_NOT_FOUND')
}

/** The same, locked until the transaction ends. A deleted account has none. */
export async function lockSettings(tx: Tx, id: string): Promise<AccountSettings> {
  const [settings] = await tx.query<AccountSettings>(LOCK_SETTINGS, [id])
  return settings ?? refuse('USER_NOT_FOUND')
}

const SET_FEES = sql(
  'identity.set_fees',
  `update identity.account set fee_bps = coalesce($2, fee_bps), buy_fee_bps = coalesce($3, buy_fee_bps),
     sell_fee_bps = coalesce($4, sell_fee_bps), child_default_fee_bps = coalesce($5, child_default_fee_bps),
     updated_at = $6
   where id = $1 and status <> 'deleted' and (kind = 'merchant'
     or (kind in ('partner', 'child') and $4::integer is null and $5::integer is null
       and (kind = 'partner' or $3::integer is null)))
   returning id`,
)
/**
 * What is left out stays. A partner has no sell fees, a child only a service fee of its own. Refuses
 * USER_NOT_FOUND.
 */
export async function setFees(
  tx: Tx,
  id: string,
  { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps }: Partial<MerchantFees>,
  at: Date,
): Promise<void> {
  const fees = [feeBps ?? null, buyFeeBps ?? null, sellFeeBps ?? null, childDefaultFeeBps ?? null]
  if ((await tx.query(SET_FEES, [id, ...fees, at])).length === 0) refuse('USER_NOT_FOUND')
}

const SET_DEBT_RECOVERY = sql(
  'identity.set_debt_recovery',
  `update identity.account set recovers_debts = $2, updated_at = $3
   where id = $1 and kind in ('merchant', 'partner') and status <> 'deleted' returning id`,
)
/** Refuses USER_NOT_FOUND for what is no merchant or partner. */
export async function setDebtRecovery(
  tx: Tx,
  id: string,
  recoversDebts: boolean,
  at: Date,
): Promise<void> {
  const rows = await tx.query(SET_DEBT_RECOVERY, [id, recoversDebts, at])
  if (rows.length === 0) refuse('USER_NOT_FOUND')
}

const RENAME = sql(
  'identity.rename_account',
  `update identity.account a set name = $2, updated_at = $3
   from (select id, name from identity.account
         where id = $1 and kind in ('merchant', 'partner') and status <> 'deleted' for no key update) was
   where a.id = was.id returning was.name`,
)
/** Returns the name before. Refuses USER_NOT_FOUND for what is no merchant or partner. */
export async function setAccountName(
  tx: Tx,
  id: string,
  name: string,
  at: Date,
): Promise<string | null> {
  const [was] = await tx.query<{ name: string | null }>(RENAME, [id, name, at])
  return (was ?? refuse('USER_NOT_FOUND')).name
}

/** Refuses USER_NOT_FOUND for an account that does not exist or is deleted. */
export async function setAccountStatus(
  tx: Tx,
  id: string,
  status: 'active' | 'suspended',
  at: Date,
): Promise<void> {
  if ((await setStatus(tx, id, status, at)) === null) refuse('USER_NOT_FOUND')
}

export interface KeySummary extends KeyBounds {
  readonly spendLimit: SpendLimit | null
  readonly id: string
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly prefix: string
  readonly last4: string
  readonly status: 'active' | 'rotating' | 'revoked'
  readonly allowlist: readonly string[]
  readonly validUntil: Date | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

const KEY_COLUMNS = `id, account_id "accountId", kind, name, prefix, last4, status, allowlist::text[] allowlist,
  valid_until "validUntil", created_at "createdAt", last_used_at "lastUsedAt",
  scopes, accounts::text[] accounts, ends_at "endsAt", spend_limit_id "spendLimitId",
  (select cents from identity.spend_limit l where l.id = spend_limit_id) "limitCents",
  (select period from identity.spend_limit l where l.id = spend_limit_id) "limitPeriod"`

type KeyRow = Omit<KeySummary, 'spendLimit'> & {
  readonly limitCents: bigint | null
  readonly limitPeriod: SpendLimit['window'] | null
}

const keyOf = ({ limitCents, limitPeriod, ...key }: KeyRow): KeySummary => ({
  ...key,
  spendLimit:
    limitCents === null || limitPeriod === null
      ? null
      : { amountCents: cents(limitCents), window: limitPeriod },
})

const LIST_KEYS = sql(
  'identity.list_keys',
  `select * from (
     select ${KEY_COLUMNS} from identity.api_key where account_id = $1 order by status = 'revoked', id desc limit 200
   ) listed order by id desc`,
)
/** Newest first: every good one, and as many revoked ones as fit. The keys themselves are kept nowhere. */
export const listKeys = async (db: Queryable, accountId: string): Promise<KeySummary[]> =>
  (await db.query<KeyRow>(LIST_KEYS, [accountId])).map(keyOf)

const GET_KEY = sql('identity.get_key', `select ${KEY_COLUMNS} from identity.api_key where id = $1`)
/** Refuses NOT_FOUND. */
export async function getKey(db: Queryable, keyId: string): Promise<KeySummary> {
  const [key] = await db.query<KeyRow>(GET_KEY, [keyId])
  return key === undefined ? refuse('NOT_FOUND') : keyOf(key)
}

const COUNT_KEYS = sql(
  'identity.count_keys',
  `select count(*) filter (where status <> 'revoked' and coalesce(valid_until > $2, true)
       and coalesce(ends_at > $2, true))::int good,
     count(*) filter (where created_at > $2::timestamptz - interval '1 day')::int "ofDay"
   from identity.api_key where account_id = $1`,
)
/** How many are good, and how many were made within a day. Others wait until the transaction ends. */
export async function lockKeyCounts(
  tx: Tx,
  accountId: string,
  at: Date,
): Promise<{ readonly good: number; readonly ofDay: number }> {
  await lockSettings(tx, accountId)
  const [counts] = await tx.query<{ good: number; ofDay: number }>(COUNT_KEYS, [accountId, at])
  return assertDefined(counts, 'the number of keys')
}

const LOCK_OWNER = sql(
  'identity.lock_owner_of_key',
  `select from identity.account a join identity.api_key k on k.account_id = a.id where k.id = $1
   for no key update of a`,
)
const FIND_KEY = sql(
  'identity.find_key',
  `select ${KEY_COLUMNS} from identity.api_key where id = $1 for no key update`,
)
/** Locked until the transaction ends, like every other key of its account. Refuses NOT_FOUND. */
export async function lockKey(tx: Tx, keyId: string): Promise<KeySummary> {
  // The account first, as where it is closed. Keys that share a limit are changed together.
  await tx.query(LOCK_OWNER, [keyId])
  const [key] = await tx.query<KeyRow>(FIND_KEY, [keyId])
  return key === undefined ? refuse('NOT_FOUND') : keyOf(key)
}

const RETIRE = sql(
  'identity.retire_key',
  `update identity.api_key set status = case when $2::timestamptz > $3 then 'rotating' else 'revoked' end,
     valid_until = case when $2 > $3 then $2 else valid_until end,
     revoked_at = case when $2 > $3 then null else $3 end
   where id = $1`,
)
/**
 * A new key with the name, allowlist and bounds of the old one, which is valid until `overlapUntil`. Refuses
 * NOT_FOUND for a key that does not exist, is rotating or is revoked.
 */
export async function rotateKey(
  tx: Tx,
  keyId: string,
  { overlapUntil, environment, at }: { overlapUntil: Date; environment: KeyEnvironment; at: Date },
): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, ...old } = await lockKey(tx, keyId)
  if (status !== 'active') refuse('NOT_FOUND')
  const { accountId, kind, name, allowlist, scopes, accounts, endsAt, spendLimitId } = old
  const bounds = { scopes, accounts, endsAt, spendLimitId }
  const order = { accountId, kind, name, allowlist, bounds, environment, at }
  const issued = await issueKey(tx, { ...order, rotatedFrom: keyId })
  await tx.query(RETIRE, [keyId, overlapUntil, at])
  return issued
}

const CHANGE_KEY = sql(
  'identity.change_key',
  `update identity.api_key set name = $2, allowlist = $3::text[]::cidr[], scopes = $4::text[], accounts = $5::uuid[],
     ends_at = $6
   where id = $1 and status <> 'revoked' returning id`,
)
// Of keys that were rotated before lineages were kept, nothing but a shared limit is known.
const SHARE_LIMIT = sql(
  'identity.share_spend_limit',
  `update identity.api_key k set spend_limit_id = $2 from identity.api_key changed
   where changed.id = $1 and k.account_id = changed.account_id
     and (coalesce(k.lineage_id, k.id) = coalesce(changed.lineage_id, changed.id)
       or k.spend_limit_id = changed.spend_limit_id)`,
)

export interface KeyChange {
  readonly name?: string | undefined
  /** In CIDR form. */
  readonly allowlist?: readonly string[] | undefined
  readonly scopes?: readonly KeyScope[] | undefined
  readonly accounts?: readonly string[] | null | undefined
  readonly endsAt?: Date | null | undefined
  /**
   * Of the key and of all that it was rotated from and to, revoked ones too: what they have placed may
   * still be filled.
   */
  readonly spendLimit?: SpendLimit | null | undefined
}

/**
 * What is left out stays. Refuses NOT_FOUND for a key that is unknown or revoked, and USER_NOT_FOUND for
 * accounts that are not all sub-users of the key's merchant.
 */
export async function changeKey(
  tx: Tx,
  keyId: string,
  change: KeyChange,
  at: Date,
): Promise<KeySummary> {
  const was = await lockKey(tx, keyId)
  if (change.accounts) await refuseUnknownAccounts(tx, was.accountId, change.accounts)
  const { spendLimit } = change
  if (spendLimit !== undefined) {
    const limitId = spendLimit && (was.spendLimitId ?? newId(at.getTime()))
    if (spendLimit && limitId) await setSpendLimit(tx, limitId, spendLimit, at)
    await tx.query(SHARE_LIMIT, [keyId, limitId])
  }
  const { name = was.name, allowlist = was.allowlist, scopes = was.scopes } = change
  const { accounts = was.accounts, endsAt = was.endsAt } = change
  const values = [keyId, name, allowlist, scopes, accounts, endsAt]
  if ((await tx.query(CHANGE_KEY, values)).length === 0) refuse('NOT_FOUND')
  return getKey(tx, keyId)
}

const COUNT_SUB_USERS = sql(
  'identity.count_sub_users_of',
  `select count(*)::int count from identity.account
   where id = any ($2::uuid[]) and parent_id = $1 and kind = 'sub_user' and status <> 'deleted'`,
)
/** Refuses USER_NOT_FOUND unless all are sub-users of the merchant. */
export async function refuseUnknownAccounts(
  tx: Tx,
  merchantId: string,
  accounts: readonly string[],
): Promise<void> {
  const [row] = await tx.query<{ count: number }>(COUNT_SUB_USERS, [merchantId, accounts])
  if (row?.count !== new Set(accounts).size) refuse('USER_NOT_FOUND')
}

export interface AccountFilter {
  /** An id, or the beginning of an e-mail address or a name. */
  readonly text: string | null
  readonly kind: 'merchant' | 'partner' | 'child' | null
  /** Null: all but deleted ones. */
  readonly status: AccountStatus | null
}

export interface ListedAccount extends AccountSummary {
  readonly createdAt: Date
}

/** One account, with what its merchant and the game platform call it. */
export interface DescribedAccount extends ListedAccount {
  readonly externalId: string | null
  readonly platformId: string | null
}

const DESCRIBE = sql(
  'identity.describe_account',
  `select id, kind, parent_id "parentId", status, currency, email, name, tier, created_at "createdAt",
     external_id "externalId", platform_id "platformId"
   from identity.account where id = $1 and kind <> 'admin'`,
)
/** Of any kind but an administrator's, deleted ones too. Refuses USER_NOT_FOUND. */
export async function describeAccount(db: Queryable, id: string): Promise<DescribedAccount> {
  const [account] = await db.query<DescribedAccount>(DESCRIBE, [id])
  return account ?? refuse('USER_NOT_FOUND')
}

const MATCHES = `kind in ('merchant', 'partner', 'child')
     and ($1::text is null or id = $4::uuid or starts_with(lower(email), lower($1)) or starts_with(lower(name), lower($1)))
     and ($2::text is null or kind = $2) and case when $3::text is null then status <> 'deleted' else status = $3 end`
const LIST_ACCOUNTS = sql(
  'identity.list_accounts',
  `select id, kind, parent_id "parentId", status, currency, email, name, tier, created_at "createdAt"
   from identity.account where ${MATCHES} order by id desc limit $5 offset $6`,
)
const COUNT_ACCOUNTS = sql(
  'identity.count_accounts',
  `select count(*)::int count from identity.account where ${MATCHES}`,
)
/** Merchants, partners and children, newest first. */
export async function listAccounts(
  db: Queryable,
  {
    page,
    limit,
    text,
    kind,
    status,
  }: AccountFilter & { readonly page: number; readonly limit: number },
): Promise<Page<ListedAccount>> {
  const filter = [text, kind, status, text !== null && isUuid(text) ? text : null]
  const [[counted], items] = await Promise.all([
    db.query<{ count: number }>(COUNT_ACCOUNTS, filter),
    db.query<ListedAccount>(LIST_ACCOUNTS, [...filter, limit, BigInt(page - 1) * BigInt(limit)]),
  ])
  return pageOf(items, { total: counted?.count ?? 0, page, limit })
}

/** Whether an insert failed because the e-mail address is taken. */
export const isEmailTaken = (error: unknown): boolean =>
  violatedConstraint(error) === 'account_login'
