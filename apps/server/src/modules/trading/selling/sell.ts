// Selling: from a list of assets with prices to a trade that waits for a bot. No money moves yet.
import { createHash } from 'node:crypto'
import { accountRefusal, type LookUpContext } from '#identity'
import { type Db, sqlState, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, shareHalfUp } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { quoteIn, type RateDeps, rateFor } from '#pricing'
import type { ItemDescription, Receipt } from '#trades'
import { type AssetName, decodeAsset } from './item.ts'
import { isReady } from './offer.ts'
import type { Bots, PlatformItem } from './ports.ts'
import {
  type AppraisalDeps,
  type CatalogMatch,
  type Offered,
  readInventory,
} from './read-inventory.ts'
import { countFreeSlots } from './store/offers.ts'
import { insertSell, listOpenAssets, type NewSellItem } from './store/sells.ts'

export interface SellDeps extends AppraisalDeps, RateDeps {
  readonly db: Db
  readonly clock: Clock
  readonly bots: Pick<Bots, 'list'>
  isPaused(): Promise<boolean>
  /** The trade URL as the platform resolves it; refuses 1413 and 1418. */
  resolveTradeUrl(
    url: string,
    context: LookUpContext,
  ): Promise<{ url: string; platformId: string; partner: number; token: string }>
  /** The receipt of a trade that this external id has made, with the hash of its request. */
  findReplay(key: {
    tenantId: string
    accountId: string
    externalId: string
  }): Promise<{ receipt: Receipt; requestHash: Buffer } | null>
}

export interface Seller {
  readonly accountId: string
  readonly tenantId: string
  readonly currency: Currency
  readonly merchantCurrency: Currency
  /** What the merchant takes off the proceeds; 0 of its own. */
  readonly merchantFeeBps: number
  /** The linked platform account. */
  readonly platformId: string | null
  readonly primaryTradeUrl: { readonly url: string; readonly platformId: string } | null
}

export interface SellOrder {
  readonly requestId: string
  readonly externalId: string | null
  readonly tradeUrl: string | null
  /** 1 to 100. */
  readonly items: readonly SellLine[]
}

export interface SellLine {
  readonly asset: AssetName
  /** US cents: must be the quote of the moment. */
  readonly price: Cents
}

export type Sell = (seller: Seller, order: SellOrder) => Promise<Receipt>

/** After so long some of a tenant's sells that wait for a bot may have found one. */
const WAITING_RETRY_S = 30
/** The platform allows so many offers of one account to be open. */
export const BOT_OFFER_LIMIT = 30
/** ... and so many of one account to one partner. Counted over all bots, to be on the safe side. */
export const PARTNER_OFFER_LIMIT = 5

/**
 * Accepts a sell, or refuses it with nothing written: DUPLICATE_LISTING_ID, SERVICE_DISABLED,
 * IDEMPOTENCY_CONFLICT, PLATFORM_ACCOUNT_NOT_LINKED, TRADEURL_REQUIRED, TRADEURL_PLATFORM_MISMATCH, the
 * trade URL's own refusals, INVENTORY_PRIVATE, SELL_ITEM_NOT_FOUND, SELL_ITEM_NOT_ACCEPTED,
 * PRICE_MISMATCH, SELL_NO_BOT_AVAILABLE (also when too many of the tenant's sells wait for one). A known
 * external id answers the first receipt.
 */
export function createSell(deps: SellDeps): Sell {
  return async (seller, order) => {
    refuseDuplicates(order.items)
    if (await deps.isPaused()) refuse('SERVICE_DISABLED')
    const requestHash = hashOf(order)
    // Before anything is read of the platform: what was sold is not in the inventory any more.
    const replay = await replayOf(deps, seller, order, requestHash)
    if (replay) return replay
    try {
      return await place(deps, seller, order, requestHash)
    } catch (error) {
      // The same request may have won meanwhile, and its assets are why this one was refused.
      const late = error instanceof Refusal && (await replayOf(deps, seller, order, requestHash))
      if (late) return late
      throw error
    }
  }
}

async function place(
  deps: SellDeps,
  seller: Seller,
  order: SellOrder,
  requestHash: Buffer,
): Promise<Receipt> {
  const platformId = seller.platformId ?? refuse('PLATFORM_ACCOUNT_NOT_LINKED')
  const recipient = await recipientOf(deps, seller, order, platformId)
  const rate = await rateFor(deps, seller)
  const { tenantId, accountId } = seller
  const owner = { accountId, tenantId, platformId }
  const { assets, offerOf } = await readInventory(deps, owner, order.requestId)
  const items = order.items.map((line) =>
    priced(seller, rate, line, offerOf(find(assets, line.asset))),
  )
  await refuseOpen(deps.db, tenantId, items)
  await refuseWithoutBot(deps, order)
  try {
    return await insertSell(deps.db, {
      tenantId,
      accountId,
      platformId,
      tradeUrl: recipient.url,
      externalId: order.externalId,
      requestHash,
      game: assertDefined(items[0], 'an item').game,
      currency: seller.currency,
      usdPerEurMicros: rate,
      requestId: order.requestId,
      at: deps.clock.now(),
      partner: recipient.partner,
      token: recipient.token,
      items,
    })
  } catch (error) {
    const ofAccount = accountRefusal(error)
    if (ofAccount) throw ofAccount
    if (sqlState(error) === 'PT503') return refuse('SERVICE_DISABLED')
    if (sqlState(error) === 'PT409') return refuse('IDEMPOTENCY_CONFLICT')
    if (sqlState(error) === 'PT429') {
      return refuse('SELL_NO_BOT_AVAILABLE', { retryAfterSeconds: WAITING_RETRY_S })
    }
    if (violatedConstraint(error) !== 'item_one_open_sell') throw error
    await refuseOpen(deps.db, tenantId, items)
    return refuse('SELL_ITEM_NOT_ACCEPTED')
  }
}

/** The one asset that a name means, whichever way it is named. Null for an id that is none of ours. */
const assetIdOf = (name: AssetName): string | null =>
  'id' in name ? (decodeAsset(name.id)?.assetId ?? null) : name.assetId

/** What a refusal says of an asset. An id that is none of ours is not repeated. */
function detailsOf(name: AssetName): { readonly assetid?: string } {
  const assetId = assetIdOf(name)
  return assetId === null ? {} : { assetid: assetId }
}

const shown = (name: AssetName): string => ('id' in name ? name.id : name.assetId)

function refuseDuplicates(lines: readonly SellLine[]): void {
  const seen = new Set<string>()
  for (const { asset } of lines) {
    const assetId = assetIdOf(asset) ?? shown(asset)
    if (seen.has(assetId)) refuse('DUPLICATE_LISTING_ID', detailsOf(asset))
    seen.add(assetId)
  }
}

async function replayOf(
  deps: SellDeps,
  { tenantId, accountId }: Seller,
  { externalId }: SellOrder,
  requestHash: Buffer,
): Promise<Receipt | null> {
  if (externalId === null) return null
  const first = await deps.findReplay({ tenantId, accountId, externalId })
  if (first && !first.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return first?.receipt ?? null
}

async function recipientOf(
  deps: SellDeps,
  seller: Seller,
  order: SellOrder,
  platformId: string,
): Promise<{ url: string; partner: number; token: string }> {
  const text = order.tradeUrl ?? seller.primaryTradeUrl?.url ?? refuse('TRADEURL_REQUIRED')
  const context = { requestId: order.requestId, tenantId: seller.tenantId }
  const resolved = await deps.resolveTradeUrl(text, context)
  if (resolved.platformId !== platformId) refuse('TRADEURL_PLATFORM_MISMATCH')
  return resolved
}

function find(assets: readonly PlatformItem[], name: AssetName): PlatformItem {
  const encoded = 'id' in name ? decodeAsset(name.id) : null
  const assetId = assetIdOf(name)
  const found = assets.find(
    (asset) =>
      asset.assetId === assetId &&
      (encoded === null ||
        (asset.classId === encoded.classId && asset.contextId === encoded.contextId)),
  )
  return found ?? refuse('SELL_ITEM_NOT_FOUND', detailsOf(name))
}

function priced(
  seller: Seller,
  rate: bigint | null,
  line: SellLine,
  { asset, match, quote, accepted }: Offered,
): NewSellItem & { readonly game: string } {
  if (!accepted || match === null || quote === null) {
    return refuse('SELL_ITEM_NOT_ACCEPTED', { assetid: asset.assetId })
  }
  if (quote !== line.price) {
    return refuse('PRICE_MISMATCH', { assetid: asset.assetId, currentPriceCents: quote })
  }
  const price = quoteIn(seller.currency, quote, rate)
  return {
    assetId: asset.assetId,
    contextId: asset.contextId,
    classId: asset.classId,
    catalogItemId: match.id,
    game: match.game,
    description: descriptionOf(asset, match),
    quote,
    price,
    merchantFee: shareHalfUp(price, seller.merchantFeeBps),
  }
}

const descriptionOf = (asset: PlatformItem, match: CatalogMatch): ItemDescription => ({
  name: asset.name,
  marketHashName: asset.marketHashName,
  type: asset.type,
  iconUrl: asset.iconUrl,
  exterior: asset.exterior ?? match.exterior,
  rarity: asset.rarity ?? match.rarity,
  color: asset.color ?? match.rarityColor,
  phase: match.phase,
  wear: asset.wearText,
  paintSeed: asset.paintSeed,
  stickers: asset.stickers.map(({ name, slot, wearText, iconUrl }) => ({
    name,
    slot,
    wear: wearText === null ? null : Number(wearText),
    iconUrl,
  })),
  charm: asset.charm,
  delivery: null,
})

async function refuseOpen(db: Db, tenantId: string, items: readonly NewSellItem[]): Promise<void> {
  const assetIds = items.map((item) => item.assetId)
  const open = await listOpenAssets(db, tenantId, assetIds)
  for (const { assetId } of items) {
    if (open.has(assetId)) refuse('SELL_ITEM_NOT_ACCEPTED', { assetid: assetId })
  }
}

async function refuseWithoutBot(
  { db, clock, bots }: SellDeps,
  { requestId, items }: SellOrder,
): Promise<void> {
  const at = clock.now()
  const ready = (await bots.list({ requestId })).filter((bot) => isReady(bot, at))
  const freeSlots = await countFreeSlots(db, ready, BOT_OFFER_LIMIT)
  if (freeSlots < items.length) refuse('SELL_NO_BOT_AVAILABLE')
}

/** What makes two requests the same: everything the caller chose, the external id aside. */
function hashOf(order: SellOrder): Buffer {
  const request = [
    'sell',
    order.tradeUrl,
    order.items.map((line) => [shown(line.asset), String(line.price)]),
  ]
  return createHash('sha256').update(JSON.stringify(request)).digest()
}
