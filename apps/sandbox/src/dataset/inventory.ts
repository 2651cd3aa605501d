import { randomOf, STREAM } from './random.ts'
import type { Stock } from './stock.ts'
import type { Asset } from './types.ts'

export interface OwnedCopy {
  readonly assetId: string
  readonly asset: Asset
  readonly tradable: boolean
}

/**
 * What a persona owns: follows from the seed and the id, and a longer answer begins with the shorter
 * one. An id that is not of an individual account owns nothing.
 */
export function inventoryOf(
  stock: Stock,
  { seed, platformId, count }: { seed: number; platformId: string; count: number },
): readonly OwnedCopy[] {
  const accountId = accountIdOf(platformId)
  if (accountId === null) return []
  return Array.from({ length: Math.min(count, LARGEST_INVENTORY) }, (_, place) => {
    const index = accountId * LARGEST_INVENTORY + place
    const random = randomOf(seed, STREAM.inventory, index)
    let entry = stock.chooseEntry(random)
    // Very expensive items are left out of inventories.
    while (entry.item.referencePriceMills > DEAREST_MILLS) entry = stock.chooseEntry(random)
    return {
      assetId: String(FIRST_ASSET_ID + index),
      asset: stock.copyOf(entry, random),
      tradable: random.chance(TRADABLE_SHARE),
    }
  })
}

const LARGEST_INVENTORY = 4096
const DEAREST_MILLS = 400_000
const TRADABLE_SHARE = 0.88
/** Above every id of a listing; each account has a range of its own, so no two copies share one. */
const FIRST_ASSET_ID = 1_000_000_000_000
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n
const MOST_ACCOUNT_IDS = 0xffffffffn

function accountIdOf(platformId: string): number | null {
  if (!/^\d{17}$/.test(platformId)) return null
  const accountId = BigInt(platformId) - FIRST_PLATFORM_ID
  return accountId >= 0n && accountId <= MOST_ACCOUNT_IDS ? Number(accountId) : null
}
