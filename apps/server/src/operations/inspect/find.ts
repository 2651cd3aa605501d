// One box for every id that a person may have in hand: its form chooses the look-ups, each by an index,
// within one account or over the whole service. One after the other: a search takes one connection, not ten.
import { findItemsOfOrder } from '#buying'
import {
  type AcceptedToken,
  assetOf,
  type ChainId,
  findOwnerOfAddress,
  findTransfersOfHash,
} from '#chains'
import { findDeposits } from '#deposits'
import { findAccounts, findKeysById } from '#identity'
import type { Queryable } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { findPayoutOfHash } from '#outbound'
import { type FoundEvent, findEventsById } from '#outbox'
import { findPayouts } from '#payouts'
import { findCase } from '#reconciliation'
import { findSellsOfOffer } from '#selling'
import { findTrades } from '#trades'
import { type DeliveryRecord, listAllDeliveries, listDeliveriesOfEvent } from '#webhooks'

export type HitKind =
  | 'trade'
  | 'account'
  | 'deposit'
  | 'withdrawal'
  | 'custody_deposit'
  | 'delivery'
  | 'event'
  | 'key'
  | 'case'

export interface Hit {
  readonly kind: HitKind
  readonly id: string
  /** Whose it is: the merchant or partner; null for what is the service's. */
  readonly tenantId: string | null
  /** What it is, such as `buy` or `trade.completed`. */
  readonly title: string
  readonly status: string | null
  /** Of an event or a delivery: what it is about. */
  readonly subjectId: string | null
}

const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i
const MOST_HITS = 20

/** `tenantId` null: over all accounts. */
export async function find(
  db: Queryable,
  { text: typed, tenantId }: { readonly text: string; readonly tenantId: string | null },
): Promise<Hit[]> {
  const text = typed.trim()
  if (HASH.test(text)) return findByHash(db, text, tenantId)
  if (ADDRESS.test(text)) {
    const owner = await findOwnerOfAddress(db, text)
    return [
      ...(owner === null ? [] : await accountHits(db, { ids: [owner], text: '', tenantId })),
      ...(await depositHits(db, { ids: [], transferIds: [], text, tenantId })),
    ]
  }
  const ids = isUuid(text) ? [text.toLowerCase()] : []
  const hits = [
    ...(await tradeHits(db, { ids, text, tenantId })),
    ...(await accountHits(db, { ids, text, tenantId })),
    ...(await depositHits(db, { ids, transferIds: [], text, tenantId })),
    ...(await payoutHits(db, { ids, text, tenantId })),
    ...(ids.length === 0 ? [] : await restHits(db, ids, tenantId)),
  ]
  return hits.slice(0, MOST_HITS)
}

interface By {
  readonly ids: readonly string[]
  readonly text: string
  readonly tenantId: string | null
}

async function tradeHits(db: Queryable, { ids, text, tenantId }: By): Promise<Hit[]> {
  const items = await findItemsOfOrder(db, text)
  const sells = await findSellsOfOffer(db, { ids, text })
  const found = await findTrades(db, { ids: [...ids, ...items, ...sells], text, tenantId })
  return found.map(({ id, type, status, tenantId: owner }) => ({
    ...{ kind: 'trade', id, title: type, status, tenantId: owner, subjectId: null },
  }))
}

async function accountHits(db: Queryable, { ids, text, tenantId }: By): Promise<Hit[]> {
  const found = await findAccounts(db, { ids, text, parentId: tenantId })
  return found.map(({ id, parentId, name, email, externalId, kind, status }) => ({
    ...{ kind: 'account', id, status },
    title: name ?? email ?? externalId ?? kind,
    tenantId: parentId ?? id,
    subjectId: null,
  }))
}

async function depositHits(
  db: Queryable,
  by: By & { readonly transferIds: readonly string[] },
): Promise<Hit[]> {
  const found = await findDeposits(db, by)
  return found.map(({ id, method, status, tenantId }) => ({
    ...{ kind: 'deposit', id, title: method, status, tenantId, subjectId: null },
  }))
}

async function payoutHits(db: Queryable, { ids, text, tenantId }: By): Promise<Hit[]> {
  const found = await findPayouts(db, { ids, text, tenantId })
  return found.map(({ kind, id, chain, token, status, tenantId: owner }) => ({
    ...{
      kind,
      id,
      title: `${assetOf(chain as ChainId, token as AcceptedToken)} on ${chain}`,
      status,
      tenantId: owner,
      subjectId: null,
    },
  }))
}

async function findByHash(db: Queryable, hash: string, tenantId: string | null): Promise<Hit[]> {
  const transferIds = await findTransfersOfHash(db, hash)
  const payout = await findPayoutOfHash(db, hash)
  const ids = payout === null ? transferIds : [...transferIds, payout]
  return [
    ...(await depositHits(db, { ids: [], transferIds, text: hash, tenantId })),
    ...(await payoutHits(db, { ids, text: '', tenantId })),
  ]
}

/**
 * What only its own id leads to, and the trade that it is about. Cases are the service's: an account finds
 * none.
 */
async function restHits(
  db: Queryable,
  ids: readonly string[],
  tenantId: string | null,
): Promise<Hit[]> {
  const events = await findEventsById(db, { ids, tenantId })
  const deliveries = [
    ...(await listAllDeliveries(db, { ids, status: null, cursor: null, limit: MOST_HITS })),
    ...(await deliveriesOf(db, events)),
  ]
  const keys = await findKeysById(db, { ids, accountId: tenantId })
  const found = tenantId === null && ids[0] !== undefined ? await findCase(db, ids[0]) : null
  const subjects = [
    ...events.map(({ subjectId }) => subjectId),
    ...deliveries.map(({ subjectId }) => subjectId),
    ...(found?.itemId ? [found.itemId] : []),
  ]
  return [
    ...(subjects.length === 0 ? [] : await tradeHits(db, { ids: subjects, text: '', tenantId })),
    ...events.map((event) => ({
      ...{ kind: 'event' as const, id: event.id, title: event.type, status: null },
      ...{ tenantId: event.tenantId, subjectId: event.subjectId },
    })),
    ...deliveries
      .filter((delivery) => tenantId === null || delivery.tenantId === tenantId)
      .map(({ id, eventType, status, tenantId: owner, subjectId }) => ({
        ...{ kind: 'delivery' as const, id, title: eventType, status, tenantId: owner, subjectId },
      })),
    ...keys.map(({ id, name, status, accountId }) => ({
      ...{ kind: 'key' as const, id, title: name, status, tenantId: accountId, subjectId: null },
    })),
    ...(found === null
      ? []
      : [
          {
            ...{ kind: 'case' as const, id: found.id, title: found.kind, status: found.state },
            ...{ tenantId: null, subjectId: null },
          },
        ]),
  ]
}

/** A `webhook-id` is the id of an event: what its endpoints received is found by it. */
async function deliveriesOf(
  db: Queryable,
  events: readonly FoundEvent[],
): Promise<DeliveryRecord[]> {
  const found: DeliveryRecord[] = []
  for (const { number, tenantId, accountId } of events) {
    const accountIds = [...new Set([tenantId, accountId])]
    found.push(...(await listDeliveriesOfEvent(db, { accountIds, number })))
  }
  return found
}
