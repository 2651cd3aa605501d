// Quick-buying: not this listing or that, but so many of an item, the cheapest that there are.
import { createHash } from 'node:crypto'
import { accountRefusal, limitRefusal } from '#identity'
import { sqlDetail, sqlState } from '#infra/database/db'
import type { Cents, Mills } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { ceilingOf, priceListing, rateFor } from '#pricing'
import type { Receipt } from '#trades'
import { listLost, refuseLost } from './adopt.ts'
import {
  type BuyDeps,
  type Buyer,
  boughtBefore,
  recipientOf,
  replayOf,
  tooManyWaiting,
} from './buy.ts'
import type { MarketId } from './ports.ts'
import { insertQuickBuy, type NewQuickBuy } from './store/quick-buys.ts'

export interface ItemForSale {
  readonly id: string
  readonly game: string
  readonly phase: string | null
}

export interface QuickBuyDeps extends BuyDeps {
  findItem(itemId: string): ItemForSale | null
  /** The item that differs from this one in its phase alone; null where there is none. */
  findSibling(item: ItemForSale, phase: string): ItemForSale | null
  /** A market that has the item at this price, one that is up if there is any; null when none has. */
  findSeller(wanted: WantedItem): Promise<{ market: MarketId; available: boolean } | null>
}

export interface WantedItem {
  readonly itemId: string
  /** The most that a market may ask. */
  readonly ceilingMills: Mills
  readonly delivery: 'standard' | 'instant'
}

export interface QuickOrder {
  readonly requestId: string
  readonly externalId: string | null
  readonly tradeUrl: string | null
  readonly itemId: string
  readonly phase: string | null
  /** In the wallet's currency, fees included, for one unit. */
  readonly maxPrice: Cents
  /** 1 to 200. */
  readonly amount: number
  /** `standard` takes any listing, `instant` only automatic delivery. */
  readonly delivery: 'standard' | 'instant'
  /** One for each unit, in order; null for none. */
  readonly externalIds: readonly string[] | null
}

export type QuickBuy = (buyer: Buyer, order: QuickOrder) => Promise<Receipt>

/**
 * Buys up to `amount` units, the cheapest not above `maxPrice`, fewer when there are fewer. Refuses with
 * nothing escrowed: SERVICE_DISABLED, IDEMPOTENCY_CONFLICT, ITEM_NOT_FOUND, VALIDATION_FAILED for a phase
 * that the item has not, NO_LISTING_AT_PRICE, MARKET_UNAVAILABLE when only markets that are away have it,
 * TRADEURL_REQUIRED, the trade URL's own refusals, INSUFFICIENT_BALANCE. A known external id answers the
 * first receipt.
 */
export function createQuickBuy(deps: QuickBuyDeps): QuickBuy {
  return async (buyer, order) => {
    if (await deps.isPaused()) refuse('SERVICE_DISABLED')
    const requestHash = hashOf(order)
    try {
      return await place(deps, buyer, order, requestHash)
    } catch (error) {
      const lost = await listLost(deps, buyer, order, error)
      const replay = await replayOf(deps.db, { buyer, order, requestHash }, error)
      if (replay) return replay
      // What was bought before a restore must not be bought again.
      if (lost.length > 0) return refuseLost(lost)
      throw error
    }
  }
}

async function place(
  deps: QuickBuyDeps,
  buyer: Buyer,
  order: QuickOrder,
  requestHash: Buffer,
): Promise<Receipt> {
  const item = chooseItem(deps, order)
  const rate = await rateFor(deps, buyer)
  const ceilingMills = ceilingOf(
    order.maxPrice,
    (priceMills) => priceListing(buyer, { priceMills, rate }).price,
  )
  const wanted = { itemId: item.id, ceilingMills, delivery: order.delivery }
  // Checked before the trade URL is resolved: a buyer with nothing to buy need not repair that first.
  const nothing = await absenceOf(deps, wanted)
  if (nothing) throw nothing
  const recipient = await recipientOf(deps, buyer, order)
  const receipt = await insertWithRetry(deps, buyer, wanted, {
    tenantId: buyer.tenantId,
    accountId: buyer.accountId,
    platformId: recipient.platformId,
    tradeUrl: recipient.url,
    externalId: order.externalId,
    requestHash,
    game: item.game,
    currency: buyer.currency,
    usdPerEurMicros: rate,
    requestId: order.requestId,
    at: deps.clock.now(),
    catalogItemId: item.id,
    ceilingMills,
    maxPrice: order.maxPrice,
    delivery: order.delivery,
    amount: order.amount,
    externalIds: order.externalIds,
    houseFeeBps: buyer.houseFeeBps,
    merchantFeeBps: buyer.merchantFeeBps,
  })
  if (!receipt.replayed) await deps.onTaken([item.id])
  return receipt
}

/** Why nothing can be bought at this moment; null when something is for sale. */
async function absenceOf(deps: QuickBuyDeps, wanted: WantedItem): Promise<Refusal | null> {
  const seller = wanted.ceilingMills < 1n ? null : await deps.findSeller(wanted)
  if (seller === null) return new Refusal('NO_LISTING_AT_PRICE')
  if (seller.available) return null
  return new Refusal('MARKET_UNAVAILABLE', { market: seller.market })
}

/**
 * Phases are items of their own here: the one asked for must be that of the item, or of its sibling. Refuses
 * ITEM_NOT_FOUND and VALIDATION_FAILED.
 */
export function chooseItem(
  deps: Pick<QuickBuyDeps, 'findItem' | 'findSibling'>,
  { itemId, phase }: Pick<QuickOrder, 'itemId' | 'phase'>,
): ItemForSale {
  const item = deps.findItem(itemId) ?? refuse('ITEM_NOT_FOUND', { itemId })
  if (phase === null || item.phase === phase) return item
  const sibling = item.phase === null ? deps.findSibling(item, phase) : null
  return sibling ?? refuse('VALIDATION_FAILED', { errors: [{ in: 'body', ...WRONG_PHASE }] })
}

const WRONG_PHASE = {
  pointer: '/phase',
  rule: 'phase',
  message:
    'The item does not come in this phase; each phase of a Doppler has an item id of its own.',
}

/** Attempts when other buyers hold what would be needed; each attempt waits for them. */
const ATTEMPTS = 6

async function insertWithRetry(
  deps: QuickBuyDeps,
  buyer: Buyer,
  wanted: WantedItem,
  quickBuy: NewQuickBuy,
): Promise<Receipt> {
  for (let attempt = 1; ; attempt++) {
    const isLastTry = attempt >= ATTEMPTS
    try {
      return await insertQuickBuy(deps.db, quickBuy, { isLastTry, keyId: buyer.keyId })
    } catch (error) {
      if (isLastTry || !RETRYABLE_SQLSTATES.has(sqlState(error) ?? ''))
        throw await refusalOf(deps, buyer, wanted, error)
    }
  }
}

/** Held by others; serialisation, deadlock. */
const RETRYABLE_SQLSTATES: ReadonlySet<string> = new Set(['PT423', '40001', '40P01'])

async function refusalOf(
  deps: QuickBuyDeps,
  buyer: Buyer,
  wanted: WantedItem,
  error: unknown,
): Promise<unknown> {
  switch (sqlState(error)) {
    case 'PT503':
      return new Refusal('SERVICE_DISABLED')
    case 'PT409':
      return new Refusal('IDEMPOTENCY_CONFLICT')
    case 'PT429':
      return tooManyWaiting(deps, error)
    case 'PT421':
      return boughtBefore(error)
    case 'PT404':
      // Sold meanwhile, or its market has gone since; what others held may even be back.
      return (await absenceOf(deps, wanted)) ?? new Refusal('NO_LISTING_AT_PRICE')
    case 'PT402':
      return new Refusal('INSUFFICIENT_BALANCE', {
        requiredCents: BigInt(sqlDetail(error) ?? 0),
        availableCents: await deps.balanceOf(buyer.accountId),
      })
    default:
      return accountRefusal(error) ?? limitRefusal(error) ?? error
  }
}

/** What makes two requests the same: everything the caller chose, the external id aside. */
function hashOf(order: QuickOrder): Buffer {
  const { tradeUrl, itemId, phase, maxPrice, amount, delivery, externalIds } = order
  const request = [
    'quick',
    tradeUrl,
    itemId,
    phase,
    String(maxPrice),
    amount,
    delivery,
    externalIds,
  ]
  return createHash('sha256').update(JSON.stringify(request)).digest()
}
