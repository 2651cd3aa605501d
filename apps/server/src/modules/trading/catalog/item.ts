// A kind of thing that can be traded: a market hash name, split by phase where phases exist.
import { createHash } from 'node:crypto'
import type { Cents, Mills } from '#kernel/money'

/** The one game so far. Only this module's importer and its item attributes may assume it. */
export const GAME = 'cs2'

export type Category = 'Normal' | 'Souvenir' | 'StatTrak™'
export type Delivery = 'standard' | 'instant'

export interface CatalogItem {
  /** 16 lower-case hex characters. */
  readonly id: string
  readonly game: string
  readonly marketHashName: string
  readonly phase: string | null
  readonly name: string
  readonly type: string
  readonly itemType: string
  readonly weapon: string | null
  readonly rarity: string
  readonly rarityColor: string
  readonly category: Category
  readonly collection: string | null
  readonly exterior: string | null
  readonly floatRange: readonly [number, number] | null
  readonly iconUrl: string
  readonly defIndex: number
  readonly paintIndex: number | null
  readonly referenceMills: Mills | null
  /** Bots may pay by the reference: two markets’ lists say it, or the operator's own. */
  readonly quotable: boolean
  /** Sales a day on the markets. */
  readonly volume: number
  /** What the service itself sold in the last 30 days. */
  readonly ownSales: number
  /** What the service itself sold on this UTC day and the six before. */
  readonly weekSales: number
  /** The service's own; its sourcing price, before fees. Null when none is known. */
  readonly lastSale: { readonly cents: Cents; readonly at: Date } | null
}

/** The same on every installation, so both interfaces and every merchant's own tables can rely on it. */
export const itemIdOf = (marketHashName: string, phase: string | null, game = GAME): string =>
  createHash('sha256')
    .update(`${game}:${marketHashName}${phase === null ? '' : `:${phase}`}`)
    .digest('hex')
    .slice(0, 16)

// Bands of the game's own item schema: https://github.com/csfloat/inspect, lib/game_data.js.
const EXTERIORS: readonly (readonly [below: number, name: string])[] = [
  [0.07, 'Factory New'],
  [0.15, 'Minimal Wear'],
  [0.38, 'Field-Tested'],
  [0.45, 'Well-Worn'],
]

export const exteriorOf = (wear: number): string =>
  EXTERIORS.find(([below]) => wear < below)?.[1] ?? 'Battle-Scarred'

/** The order in which popular things come first: our own sales, then the markets'. */
export const byPopularity = (
  left: Pick<CatalogItem, 'ownSales' | 'volume' | 'id'>,
  right: Pick<CatalogItem, 'ownSales' | 'volume' | 'id'>,
): number =>
  right.ownSales - left.ownSales ||
  right.volume - left.volume ||
  (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
