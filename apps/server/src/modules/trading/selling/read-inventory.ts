// What a user could sell: the platform's inventory of the linked account with our quotes beside it.
import { mapInChunks } from '#infra/limits/in-chunks'
import type { Cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { Inventories, PlatformItem } from './ports.ts'
import { type Appraised, type Policy, quoteOf } from './quote.ts'

/** An item of the catalogue, as far as a quote of it and a description need. */
export interface CatalogMatch extends Appraised {
  readonly game: string
  readonly phase: string | null
  readonly exterior: string | null
  readonly rarity: string
  readonly rarityColor: string
  readonly type: string
}

export interface Offered {
  readonly asset: PlatformItem
  readonly match: CatalogMatch | null
  /** US cents; null when the bots do not buy it. */
  readonly quote: Cents | null
  /** There is a quote and the platform lets it be traded. */
  readonly accepted: boolean
}

export interface AppraisalDeps {
  readonly inventories: Inventories
  /** The item of the catalogue that an asset is a copy of. Phases are distinguished by the paint. */
  findItem(marketHashName: string, paintIndex: number | null): CatalogMatch | null
  readPolicy(): Promise<Policy>
  /** When a trade of the account last moved: what it sold has left the inventory, what it bought is there. */
  lastMoveOf(accountId: string): Promise<Date | null>
}

export interface Owner {
  readonly accountId: string
  readonly tenantId: string
  readonly platformId: string
}

export interface Inventory {
  readonly assets: readonly PlatformItem[]
  offerOf(asset: PlatformItem): Offered
}

/** Some milliseconds: an inventory may have thousands. */
const OFFERS_A_TURN = 100

/** All that the user has, each with our quote. Refuses as `readInventory` does. */
export async function readOffers(
  ...of: Parameters<typeof readInventory>
): Promise<readonly Offered[]> {
  const { assets, offerOf } = await readInventory(...of)
  return mapInChunks(assets, OFFERS_A_TURN, offerOf)
}

/** Refuses INVENTORY_PRIVATE, PLATFORM_UNAVAILABLE. */
export async function readInventory(
  { inventories, findItem, readPolicy, lastMoveOf }: AppraisalDeps,
  { accountId, tenantId, platformId }: Owner,
  requestId: string,
): Promise<Inventory> {
  const notBefore = await lastMoveOf(accountId)
  const [outcome, policy] = await Promise.all([
    inventories.read(platformId, { requestId, tenantId, notBefore }),
    readPolicy(),
  ])
  if (outcome.kind === 'rejected') {
    const isPrivate = outcome.reason === 'inventory_private' || outcome.reason === 'profile_private'
    return refuse(isPrivate ? 'INVENTORY_PRIVATE' : 'PLATFORM_UNAVAILABLE')
  }
  if (outcome.kind === 'unavailable') {
    const retryAfterSeconds = Math.ceil(outcome.retryAfterMs / 1000)
    return refuse('PLATFORM_UNAVAILABLE', { retryAfterSeconds })
  }
  if (outcome.kind !== 'ok') return refuse('PLATFORM_UNAVAILABLE')
  return {
    assets: outcome.value.items,
    offerOf: (asset) => {
      const match = findItem(asset.marketHashName, asset.paintIndex)
      const quote = match && quoteOf(match, policy)
      return { asset, match, quote, accepted: quote !== null && isTradable(asset) }
    },
  }
}

/** What came by a trade and is still protected cannot be traded on, whatever else is said of it. */
const isTradable = ({ tradable, contextId }: PlatformItem): boolean => tradable && contextId === '2'
