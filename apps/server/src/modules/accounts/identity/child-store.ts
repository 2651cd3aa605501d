// The SQL of partners and their children.
import { columns, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import type { AccountStatus, Child, ListedChild } from './account.ts'

// Ids of keys rise with time, so the least is the first.
const FIRST_KEY = (accountId: string): string =>
  `(select k.id from identity.api_key k where k.account_id = ${accountId} order by k.id limit 1)`

const CHILD_COLUMNS = {
  id: text,
  partnerId: ['a.parent_id', text],
  email: text,
  name: text,
  status: text,
  firstKeyId: [FIRST_KEY('a.id'), text],
} as const
const CHILD = columns<Child>('a.', CHILD_COLUMNS)
const SELECT_CHILD = `select ${CHILD.list} from identity.account a`

const BY_EMAIL_HASH = sql(
  'identity.child_by_email_hash',
  `${SELECT_CHILD} where a.parent_id = $1 and a.external_id = $2 and a.kind = 'child'`,
)

/** Deleted ones included. */
export const findChildByEmailHash = (
  db: Queryable,
  partnerId: string,
  hash: string,
): Promise<Child | null> => CHILD.first(db, BY_EMAIL_HASH, [partnerId, hash])

const BY_KEY = sql(
  'identity.child_by_key',
  `${SELECT_CHILD} join identity.api_key given on given.account_id = a.id
   where given.id = $2 and a.parent_id = $1 and a.kind = 'child'`,
)

export const findChildByKey = (
  db: Queryable,
  partnerId: string,
  keyId: string,
): Promise<Child | null> => CHILD.first(db, BY_KEY, [partnerId, keyId])

// ---------------------------------------------------------------- lists

const LISTED_CHILD = columns<ListedChild>('a.', { ...CHILD_COLUMNS, createdAt: time })
const SELECT_LISTED_CHILD = `select ${LISTED_CHILD.list} from identity.account a`

export interface ChildFilter {
  /** The beginning of an e-mail address, letter case aside. */
  readonly prefix: string | null
  /** Null: all but deleted ones. */
  readonly status: AccountStatus | null
}

// A prefix is a range in byte order, which the index of this column has.
const CHILDREN_AFTER = sql(
  'identity.children_after',
  `${SELECT_LISTED_CHILD} where a.parent_id = $1 and a.kind = 'child'
     and case when $2::text is null then a.status <> 'deleted' else a.status = $2 end
     and ($3::text is null or (lower(a.email) collate "C" >= lower($3)
       and lower(a.email) collate "C" < lower($3) || chr(1114111)))
     and ($4::uuid is null or a.id < $4)
   order by a.id desc limit $5`,
)

/** Those after `cursor`, newest first. */
export const readChildrenAfter = (
  db: Queryable,
  partnerId: string,
  { prefix, status, cursor, limit }: ChildFilter & ChildSlice,
): Promise<ListedChild[]> =>
  LISTED_CHILD.all(db, CHILDREN_AFTER, [partnerId, status, prefix, cursor, limit])

export interface ChildSlice {
  readonly cursor: string | null
  readonly limit: number
}

const CHILDREN_BY_ID = sql(
  'identity.children_by_id',
  `${SELECT_LISTED_CHILD} where a.parent_id = $1 and a.kind = 'child' and a.id = any ($2::uuid[])`,
)

/** Those of `ids` that are the partner's children, deleted ones included, in no order. */
export const findChildren = (
  db: Queryable,
  partnerId: string,
  ids: readonly string[],
): Promise<ListedChild[]> => LISTED_CHILD.all(db, CHILDREN_BY_ID, [partnerId, ids])

// ---------------------------------------------------------------- callers

export interface PartnerAccountRow {
  readonly position: number
  readonly id: string
  readonly kind: 'partner' | 'child'
  readonly fee_bps: number | null
  readonly partner_id: string
  readonly partner_fee_bps: number | null
  readonly buy_fee_bps: number | null
}

// Look-ups by primary key behind a lateral join, as those of merchants' callers.
const PARTNER_ACCOUNTS = sql(
  'identity.partner_accounts',
  `select asked.position::int, account.id, account.kind, account.fee_bps, partner.id partner_id,
     partner.fee_bps partner_fee_bps, partner.buy_fee_bps
   from unnest((select $1::uuid[])) with ordinality asked (account_id, position)
   cross join lateral (
     select * from identity.account a
     where a.id = asked.account_id and a.kind in ('partner', 'child') and a.status <> 'deleted' limit 1) account
   cross join lateral (
     select * from identity.account a where a.id = coalesce(account.parent_id, account.id) limit 1) partner`,
)

export const readPartnerAccounts = (
  db: Queryable,
  accountIds: readonly string[],
): Promise<PartnerAccountRow[]> => db.query<PartnerAccountRow>(PARTNER_ACCOUNTS, [accountIds])

const FIRST_KEYS = sql(
  'identity.first_keys',
  `select id, ${FIRST_KEY('asked.id')} key_id from unnest($1::uuid[]) asked (id)`,
)

/** The first key of each account, which names it on the partner interface. */
export async function readFirstKeys(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; key_id: string | null }>(FIRST_KEYS, [accountIds])
  return new Map(rows.flatMap(({ id, key_id }) => (key_id === null ? [] : [[id, key_id] as const])))
}
