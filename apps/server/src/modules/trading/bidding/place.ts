// Placing a market order: what does not race is judged here, the rest in `bidding.place_order`.
import { createHash } from 'node:crypto'
import { accountRefusal, type LookUpContext } from '#identity'
import { type Db, sqlState } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import type { Cents, Currency } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import {
  DEFAULT_LIFE_MS,
  LONGEST_LIFE_MS,
  type MarketOrder,
  type MarketOrderFilters,
} from './market-order.ts'
import { findOrder, findReplay, insertOrder } from './store/orders.ts'

export interface PlaceDeps {
  readonly db: Db
  readonly clock: Clock
  /**
   * The item, or the one that differs from it in the phase alone; refuses ITEM_NOT_FOUND,
   * VALIDATION_FAILED.
   */
  getItem(wanted: { readonly itemId: string; readonly phase: string | null }): {
    readonly id: string
    readonly marketHashName: string
  }
  /** The trade URL as the platform resolves it; refuses 1413 and 1418. */
  resolveTradeUrl(url: string, context: LookUpContext): Promise<{ url: string; platformId: string }>
  /** No worker lives: nothing is accepted. */
  areWorkersSilent(): Promise<boolean>
  /** Trading is paused: an order is accepted, and paused. */
  isPaused(): Promise<boolean>
}

/** For whom, and with which key; null for a person. */
export interface Bidder {
  readonly tenantId: string
  readonly accountId: string
  readonly currency: Currency
  readonly keyId: string | null
  readonly hasPrimaryTradeUrl: boolean
}

export interface WantedOrder {
  readonly requestId: string
  readonly externalId: string
  readonly itemId: string
  /** In the wallet's currency, fees included, for one unit. */
  readonly maxPrice: Cents
  /** 1 to 100. */
  readonly quantity: number
  readonly filters: MarketOrderFilters
  readonly tradeUrl: string | null
  /** Null: in 30 days. */
  readonly expiresAt: Date | null
}

export type PlaceMarketOrder = (bidder: Bidder, wanted: WantedOrder) => Promise<MarketOrder>

/**
 * Refuses SERVICE_DISABLED while no worker lives, IDEMPOTENCY_CONFLICT, ITEM_NOT_FOUND,
 * TRADEURL_REQUIRED, the trade URL's own refusals, MARKET_ORDER_LIMIT_REACHED beyond 200 of the
 * account and 5,000 of the merchant, and VALIDATION_FAILED for a phase that the item has not, wears
 * that cross and an end that is past or beyond 90 days. A known external id answers the order under
 * it as it is now.
 */
export function createPlaceMarketOrder(deps: PlaceDeps): PlaceMarketOrder {
  const { db } = deps
  return async (bidder, wanted) => {
    if (await deps.areWorkersSilent()) refuse('SERVICE_DISABLED')
    const requestHash = hashOf(wanted)
    const { tenantId, accountId } = bidder
    const read = async (id: string) =>
      assertDefined(await findOrder(db, { tenantId, accountId, id }), 'a market order')
    try {
      return await read((await place(deps, bidder, wanted, requestHash)).id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // Whatever has become of the item or of the trade URL since, a replay is answered.
      const first = await findReplay(db, { tenantId, accountId, externalId: wanted.externalId })
      if (first === null) throw error
      if (!first.requestHash.equals(requestHash)) return refuse('IDEMPOTENCY_CONFLICT')
      return read(first.id)
    }
  }
}

async function place(
  deps: PlaceDeps,
  { tenantId, accountId, keyId, currency, hasPrimaryTradeUrl }: Bidder,
  wanted: WantedOrder,
  requestHash: Buffer,
): ReturnType<typeof insertOrder> {
  const { requestId, externalId, maxPrice, quantity, filters } = wanted
  const at = deps.clock.now()
  const { minWear = 0, maxWear = 1 } = filters
  if (minWear > maxWear) refuseField('/minWear', 'range', 'must not be above maxWear.')
  const expiresAt = wanted.expiresAt ?? new Date(at.getTime() + DEFAULT_LIFE_MS)
  refuseEnd(expiresAt, at)
  const item = deps.getItem({ itemId: wanted.itemId, phase: filters.phase ?? null })
  if (wanted.tradeUrl === null && !hasPrimaryTradeUrl) refuse('TRADEURL_REQUIRED')
  const recipient =
    wanted.tradeUrl === null
      ? null
      : await deps.resolveTradeUrl(wanted.tradeUrl, { requestId, tenantId })
  const order = {
    ...{ tenantId, accountId, keyId, externalId, requestHash, filters, currency, maxPrice },
    ...{ quantity, expiresAt, at, itemId: item.id, marketHashName: item.marketHashName },
    tradeUrl: recipient?.url ?? null,
    platformId: recipient?.platformId ?? null,
    isPaused: await deps.isPaused(),
  }
  return deps.db
    .transaction((tx) => insertOrder(tx, order))
    .catch((error) => {
      throw refusalOf(error)
    })
}

/** Refuses VALIDATION_FAILED for an end that is not in the future, or beyond 90 days. */
export function refuseEnd(expiresAt: Date, at: Date): void {
  const lifeMs = expiresAt.getTime() - at.getTime()
  if (lifeMs <= 0 || lifeMs > LONGEST_LIFE_MS) {
    refuseField('/expiresAt', 'range', 'must be in the future, and within 90 days from now.')
  }
}

export const refuseField = (pointer: string, rule: string, message: string): never =>
  refuse('VALIDATION_FAILED', { errors: [{ in: 'body', pointer, rule, message }] })

function refusalOf(error: unknown): unknown {
  switch (sqlState(error)) {
    case 'PT409':
      return new Refusal('IDEMPOTENCY_CONFLICT')
    case 'PT440':
      return new Refusal('MARKET_ORDER_LIMIT_REACHED')
    default:
      return accountRefusal(error) ?? error
  }
}

/** What makes two requests the same: everything the caller chose, the external id aside. */
function hashOf({ itemId, maxPrice, quantity, filters, tradeUrl, expiresAt }: WantedOrder): Buffer {
  const { delivery, minWear, maxWear, paintSeeds, phase } = filters
  const request = [
    ...[itemId, String(maxPrice), quantity, tradeUrl, expiresAt?.getTime() ?? null],
    ...[delivery, minWear, maxWear, paintSeeds, phase].map((value) => value ?? null),
  ]
  return createHash('sha256').update(JSON.stringify(request)).digest()
}
