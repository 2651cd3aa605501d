// Accounts and keys by whatever id of them a person has in hand.
import { type Queryable, sql } from '#infra/database/db'
import type { AccountStatus } from './account.ts'
import type { AccountSummary } from './administration.ts'

export interface FoundAccount {
  readonly id: string
  readonly kind: AccountSummary['kind']
  readonly parentId: string | null
  readonly status: AccountStatus
  readonly email: string | null
  readonly name: string | null
  readonly externalId: string | null
}

// Each part is a look-up by an index of its own; under a parent, its children and the parent itself.
const FIND = sql(
  'identity.find_by_handle',
  `with found as (
     select id from identity.account where id = any ($1::uuid[])
     union (select id from identity.account
       where external_id = $2 and parent_id is not null and ($3::uuid is null or parent_id = $3) limit 20)
     union (select id from identity.account
       where platform_id = $2 and parent_id is not null and ($3::uuid is null or parent_id = $3) limit 20)
     union (select id from identity.account
       where (lower(email) collate "C") = lower($2) and parent_id is not null
         and ($3::uuid is null or parent_id = $3) limit 20)
     union (select id from identity.account
       where lower(email) = lower($2) and kind in ('merchant', 'partner', 'admin') limit 1))
   select a.id, a.kind, a.parent_id "parentId", a.status, a.email, a.name, a.external_id "externalId"
   from found join identity.account a using (id)
   where a.kind <> 'admin' and ($3::uuid is null or $3 in (a.id, a.parent_id)) order by a.id desc limit 20`,
)
/** By id, external id, platform id or e-mail address; of one merchant or partner, or of all. */
export const findAccounts = (
  db: Queryable,
  by: {
    readonly ids: readonly string[]
    readonly text: string
    readonly parentId: string | null
  },
): Promise<FoundAccount[]> => db.query<FoundAccount>(FIND, [by.ids, by.text, by.parentId])

const NAMES = sql(
  'identity.account_names',
  `select id, coalesce(name, email, external_id, id::text) name from identity.account where id = any ($1::uuid[])`,
)
/** What administrators call each account: its name, else its address, else what its merchant calls it. */
export async function readAccountNames(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(NAMES, [[...new Set(ids)]])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const NAMES_WITHIN = sql(
  'identity.names_within',
  `select id, coalesce(case when kind = 'sub_user' then external_id end, email, name, id::text) name
   from identity.account
   where id = any ($2::uuid[]) and $1 in (id, parent_id)`,
)
/** What a merchant or partner calls itself and the accounts below it; of other tenants none. */
export async function readNamesWithin(
  db: Queryable,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: string; name: string }>(NAMES_WITHIN, [
    ...[tenantId, [...new Set(ids)]],
  ])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const FIND_KEYS = sql(
  'identity.find_keys_by_id',
  `select id, account_id "accountId", name, status from identity.api_key
   where id = any ($1::uuid[]) and ($2::uuid is null or account_id = $2)`,
)
/** Of one account, or of all. */
export const findKeysById = (
  db: Queryable,
  by: { readonly ids: readonly string[]; readonly accountId: string | null },
): Promise<
  {
    readonly id: string
    readonly accountId: string
    readonly name: string
    readonly status: string
  }[]
> => db.query(FIND_KEYS, [by.ids, by.accountId])

const EMAILS = sql(
  'identity.read_account_emails',
  'select id, email from identity.account where id = any ($1::uuid[]) and email is not null',
)
/** The e-mail addresses of accounts that have one, by their ids: names may look alike. */
export async function readAccountEmails(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; email: string }>(EMAILS, [ids])
  return new Map(rows.map(({ id, email }) => [id, email]))
}

// The partial index of accounts that are listed holds them; the primary key would lead through all sub-users.
const MERCHANTS_AFTER = sql(
  'identity.merchants_after',
  `select id from identity.account where kind in ('merchant', 'partner', 'child') and kind = 'merchant'
     and status <> 'deleted' and ($1::uuid is null or id > $1) order by id limit $2`,
)
/** The next merchants in the order of their ids, without deleted ones. */
export async function listMerchantsAfter(
  db: Queryable,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(MERCHANTS_AFTER, [after, limit])
  return rows.map(({ id }) => id)
}

const PARTNERS = sql(
  'identity.partners_among',
  "select id from identity.account where id = any ($1::uuid[]) and kind = 'partner'",
)
/** Which of these accounts are partners. */
export async function findPartnersAmong(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(PARTNERS, [[...new Set(ids)]])
  return new Set(rows.map(({ id }) => id))
}
