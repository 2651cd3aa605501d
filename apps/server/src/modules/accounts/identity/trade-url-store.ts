// The SQL of trade URLs.

import { bool, columns, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { ResolvedTradeUrl } from './resolve-trade-url.ts'
import type { TradeUrl } from './trade-url.ts'

const TRADE_URL = columns<TradeUrl>('', {
  id: text,
  accountId: text,
  url: text,
  platformId: text,
  personaName: text,
  avatarUrl: text,
  profileUrl: text,
  isPrimary: bool,
  createdAt: time,
})

const LOCK = sql(
  'identity.lock_trade_urls',
  `select a.id from identity.account a where a.id = $1 and a.status <> 'deleted' for no key update`,
)

/** One writer at a time decides which of an account's URLs is primary. False: no such account. */
export const lockTradeUrls = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await tx.query(LOCK, [accountId])).length > 0

const COUNT = sql(
  'identity.count_trade_urls',
  'select count(*)::int count from identity.trade_url where account_id = $1',
)

export async function countTradeUrls(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT, [accountId])
  return assertDefined(row, 'count').count
}

const UPSERT = sql(
  'identity.upsert_trade_url',
  `insert into identity.trade_url (id, account_id, partner, token, platform_id, url, persona_name, avatar_url,
     profile_url, is_primary, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
     not exists (select from identity.trade_url where account_id = $2 and is_primary), $10)
   -- A platform id that stands for a name takes the place of none.
   on conflict on constraint trade_url_once do update set
     persona_name = case when excluded.persona_name = excluded.platform_id then trade_url.persona_name
       else excluded.persona_name end,
     avatar_url = case when excluded.persona_name = excluded.platform_id then trade_url.avatar_url
       else excluded.avatar_url end,
     profile_url = excluded.profile_url
   returning ${TRADE_URL.list}`,
)

export async function upsertTradeUrl(
  tx: Tx,
  {
    id,
    accountId,
    resolved,
    at,
  }: { id: string; accountId: string; resolved: ResolvedTradeUrl; at: Date },
): Promise<TradeUrl> {
  const { persona } = resolved
  const tradeUrl = await TRADE_URL.first(tx, UPSERT, [
    id,
    accountId,
    resolved.partner,
    resolved.token,
    resolved.platformId,
    resolved.url,
    persona.personaName,
    persona.avatarUrl,
    persona.profileUrl,
    at,
  ])
  return assertDefined(tradeUrl, 'trade URL')
}

const FIND_SAME = sql(
  'identity.find_same_trade_url',
  'select id from identity.trade_url where account_id = $1 and partner = $2 and token = $3',
)

export const hasTradeUrl = async (
  tx: Tx,
  accountId: string,
  { partner, token }: { partner: number; token: string },
): Promise<boolean> => (await tx.query(FIND_SAME, [accountId, partner, token])).length > 0

const LINK = sql(
  'identity.link_platform_account',
  'update identity.account set platform_id = $2, updated_at = $3 where id = $1 and platform_id is null',
)

/** The first trade URL links the account to its platform account; later ones leave it. */
export async function linkPlatformAccount(
  tx: Tx,
  accountId: string,
  platformId: string,
  at: Date,
): Promise<void> {
  await tx.query(LINK, [accountId, platformId, at])
}

const LIST = sql(
  'identity.list_trade_urls',
  `select ${TRADE_URL.list} from identity.trade_url where account_id = $1 order by created_at desc, id desc`,
)

export const readTradeUrls = (db: Queryable, accountId: string): Promise<TradeUrl[]> =>
  TRADE_URL.all(db, LIST, [accountId])

const DEMOTE = sql(
  'identity.demote_trade_url',
  'update identity.trade_url set is_primary = false where account_id = $1 and is_primary',
)

export async function demotePrimary(tx: Tx, accountId: string): Promise<void> {
  await tx.query(DEMOTE, [accountId])
}

const PROMOTE = sql(
  'identity.promote_trade_url',
  `update identity.trade_url set is_primary = true where account_id = $1 and id = $2 returning ${TRADE_URL.list}`,
)

export const promote = (tx: Tx, accountId: string, id: string): Promise<TradeUrl | null> =>
  TRADE_URL.first(tx, PROMOTE, [accountId, id])

const PROMOTE_NEWEST = sql(
  'identity.promote_newest_trade_url',
  `update identity.trade_url set is_primary = true
   where id = (select id from identity.trade_url where account_id = $1 order by created_at desc, id desc limit 1)`,
)

export async function promoteNewest(tx: Tx, accountId: string): Promise<void> {
  await tx.query(PROMOTE_NEWEST, [accountId])
}

const DELETE = sql(
  'identity.delete_trade_url',
  `delete from identity.trade_url where account_id = $1 and id = $2 returning ${TRADE_URL.list}`,
)

export const deleteTradeUrl = (tx: Tx, accountId: string, id: string): Promise<TradeUrl | null> =>
  TRADE_URL.first(tx, DELETE, [accountId, id])
