// The trade URLs of an account. As long as it has any, exactly one is primary.

import type { Tx } from '#infra/database/db'
import { isUuid, newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import type { ResolvedTradeUrl } from './resolve-trade-url.ts'
import type { TradeUrl } from './trade-url.ts'
import {
  countTradeUrls,
  deleteTradeUrl,
  demotePrimary,
  hasTradeUrl,
  linkPlatformAccount,
  lockTradeUrls,
  promote,
  promoteNewest,
  upsertTradeUrl,
} from './trade-url-store.ts'

/** A list without pages needs an end. */
const MAX_TRADE_URLS = 100

/**
 * Stores a URL that the platform has resolved. The first one becomes primary and links the account to
 * its platform account. The same URL again is the same row, with the newest persona. Refuses
 * VALIDATION_FAILED when the account has too many.
 */
export async function addTradeUrl(
  tx: Tx,
  { accountId, resolved, at }: { accountId: string; resolved: ResolvedTradeUrl; at: Date },
): Promise<TradeUrl> {
  if (!(await lockTradeUrls(tx, accountId))) refuse('USER_NOT_FOUND')
  const count = await countTradeUrls(tx, accountId)
  if (count >= MAX_TRADE_URLS && !(await hasTradeUrl(tx, accountId, resolved))) refuseMore()
  const id = newId(at.getTime())
  const tradeUrl = await upsertTradeUrl(tx, { id, accountId, resolved, at })
  await linkPlatformAccount(tx, accountId, resolved.platformId, at)
  return tradeUrl
}

/** Refuses TRADEURL_NOT_FOUND. */
export async function makePrimary(tx: Tx, accountId: string, id: string): Promise<TradeUrl> {
  if (!isUuid(id)) return refuse('TRADEURL_NOT_FOUND')
  if (!(await lockTradeUrls(tx, accountId))) refuse('USER_NOT_FOUND')
  // Two statements: a unique index is checked row by row, and one would meet two primaries half-way.
  await demotePrimary(tx, accountId)
  return (await promote(tx, accountId, id)) ?? refuse('TRADEURL_NOT_FOUND')
}

/** The newest that is left follows a primary one. Refuses TRADEURL_NOT_FOUND. */
export async function removeTradeUrl(tx: Tx, accountId: string, id: string): Promise<TradeUrl> {
  if (!isUuid(id)) return refuse('TRADEURL_NOT_FOUND')
  if (!(await lockTradeUrls(tx, accountId))) refuse('USER_NOT_FOUND')
  const removed = (await deleteTradeUrl(tx, accountId, id)) ?? refuse('TRADEURL_NOT_FOUND')
  if (removed.isPrimary) await promoteNewest(tx, accountId)
  return removed
}

const refuseMore = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        in: 'body',
        pointer: '/url',
        rule: 'maxItems',
        message: `an account keeps at most ${MAX_TRADE_URLS} trade URLs`,
      },
    ],
  })
