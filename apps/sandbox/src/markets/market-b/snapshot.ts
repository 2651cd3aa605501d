import type { Listing } from '../../dataset/types.ts'
import { yieldTurn } from '../../kernel/turn.ts'
import { createPrepared, type Prepared } from '../prepared.ts'
import type { MarketBDeps } from './deps.ts'
import { deliveryOf, inspectLink, sellerName, unlockAt } from './listing-view.ts'
import type { MarketBNames } from './names.ts'

const COLUMNS =
  'item_id,name,price,auto,inspect,unlock_at,send_until,class_id,instance_id,steam_id,merchant,delivery'

const ROWS_PER_TURN = 1_000

/** The whole market as CSV, in parts that the caller's flags choose from. */
export interface Snapshot {
  readonly head: Buffer
  readonly automatic: readonly Buffer[]
  readonly manual: readonly Buffer[]
  readonly locked: readonly Buffer[]
}

export function createSnapshot(deps: MarketBDeps, names: MarketBNames): Prepared<Snapshot> {
  return createPrepared({
    clock: deps.clock,
    maxAgeMs: deps.settings.snapshotMaxAgeMs,
    build: () => build(deps, names),
  })
}

async function build({ keeper, settings }: MarketBDeps, names: MarketBNames): Promise<Snapshot> {
  const listings = [...keeper.dataset.listings('market_b')]
  const groups: Record<'automatic' | 'manual' | 'locked', Buffer[]> = {
    automatic: [],
    manual: [],
    locked: [],
  }
  for (let start = 0; start < listings.length; start += ROWS_PER_TURN) {
    const lines = { automatic: '', manual: '', locked: '' }
    for (const listing of listings.slice(start, start + ROWS_PER_TURN)) {
      const lockedUntil = unlockAt(listing, settings)
      const open = listing.auto ? 'automatic' : 'manual'
      lines[lockedUntil === null ? open : 'locked'] += csvRow(listing, lockedUntil, names)
    }
    for (const group of ['automatic', 'manual', 'locked'] as const) {
      if (lines[group] !== '') groups[group].push(Buffer.from(lines[group]))
    }
    await yieldTurn()
  }
  return { head: Buffer.from(`${COLUMNS}\n`), ...groups }
}

function csvRow(listing: Listing, lockedUntil: string | null, names: MarketBNames): string {
  const fields = [
    listing.id,
    names.nameOf(listing.asset.item),
    // The real file pads prices so that a plain sort of the lines is a sort by price.
    String(listing.priceMills).padStart(12, '0'),
    String(listing.auto),
    inspectLink(listing) ?? '',
    lockedUntil ?? '',
    '',
    listing.asset.classId,
    listing.asset.instanceId,
    listing.sellerId,
    sellerName(listing),
    deliveryOf(listing),
  ]
  return `${fields.map(csvField).join(',')}\n`
}

function csvField(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
