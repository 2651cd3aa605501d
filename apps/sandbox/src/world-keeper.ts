import { createListingCodec, type ListingCodec } from './store/listing-codec.ts'
import type { Store, WorldStep } from './store/store.ts'
import type { Listing, ListingChange, MarketId, World, WorldOptions } from './world/types.ts'

/** Who moved the world: strangers, an order of ours, or a person at the control interface. */
export type ChangeCause = 'tick' | 'order' | 'control'

type WorldView = Pick<
  World,
  'catalogue' | 'listing' | 'listings' | 'listingsOf' | 'countOf' | 'inventoryOf'
>

/** The world for everybody else: reading is free, every change is written down before it is made. */
export interface WorldKeeper {
  readonly world: WorldView
  readonly codec: ListingCodec
  take(market: MarketId, id: string): boolean
  putBack(listing: Listing): void
  setPrice(market: MarketId, id: string, priceMills: number, cause: ChangeCause): Listing | null
  remove(market: MarketId, id: string, cause: ChangeCause): boolean
  tick(nowMs: number): void
  subscribe(listener: (change: ListingChange, cause: ChangeCause) => void): void
  /** Writes the world as a whole, so that the next start has no steps to repeat. */
  save(): void
}

/** One tick is always this many changes; the rate is the number of ticks a second. A tick in the
 * store must mean the same after a restart with another rate. */
export const CHANGES_PER_TICK = 5

/** Repeating a step takes some microseconds; this many are repeated in well under a second. */
const STEPS_BEFORE_SAVE = 5_000

/** The data folder belongs to another world. */
export class WorldMismatch extends Error {}

export function keepWorld(options: {
  readonly store: Store
  readonly createWorld: (options: WorldOptions) => World
  readonly seed: number
  readonly listingCount: number
  readonly nowMs: number
}): WorldKeeper {
  const { store } = options
  const world = options.createWorld({
    seed: options.seed,
    listingCount: options.listingCount,
    nowMs: birthOf(options),
    changesPerTick: CHANGES_PER_TICK,
  })
  const codec = createListingCodec(world.catalogue)
  revive(world, store, codec)

  let cause: ChangeCause = 'tick'
  let stepCount = 0
  const write = (step: WorldStep, by: ChangeCause): void => {
    if (stepCount >= STEPS_BEFORE_SAVE) save()
    stepCount += 1
    cause = by
    store.appendStep(step)
  }
  const save = (): void => {
    store.writeWorld(() => world.dump())
    stepCount = 0
  }

  return {
    world,
    codec,
    take(market, id) {
      if (world.listing(market, id) === undefined) return false
      write({ kind: 'take', market, id }, 'order')
      return world.take(market, id)
    },
    putBack(listing) {
      write({ kind: 'put_back', listing: codec.encode(listing) }, 'order')
      world.putBack(listing)
    },
    setPrice(market, id, priceMills, by) {
      if (world.listing(market, id) === undefined) return null
      write({ kind: 'price', market, id, priceMills }, by)
      return world.setPrice(market, id, priceMills) ?? null
    },
    remove(market, id, by) {
      if (world.listing(market, id) === undefined) return false
      write({ kind: 'remove', market, id }, by)
      return world.remove(market, id)
    },
    tick(nowMs) {
      write({ kind: 'tick', nowMs }, 'tick')
      world.tick(nowMs)
    },
    subscribe(listener) {
      world.subscribe((change) => listener(change, cause))
    },
    save,
  }
}

/** The moment of the first start: the world is built from it each time, else it would be another. */
function birthOf(options: {
  readonly store: Store
  readonly seed: number
  readonly listingCount: number
  readonly nowMs: number
}): number {
  const stored = options.store.readSetting('birth')
  const wanted = { seed: options.seed, listingCount: options.listingCount }
  if (stored === null) {
    options.store.writeSetting('birth', JSON.stringify({ ...wanted, nowMs: options.nowMs }))
    return options.nowMs
  }
  const birth = JSON.parse(stored) as { seed: number; listingCount: number; nowMs: number }
  if (birth.seed !== wanted.seed || birth.listingCount !== wanted.listingCount) {
    throw new WorldMismatch(
      `The sandbox's data folder holds the world of SANDBOX_SEED=${birth.seed} and SANDBOX_LISTINGS=${birth.listingCount}: start with these values or with an empty folder.`,
    )
  }
  return birth.nowMs
}

/** The last whole state, then each step since, in order: the same calls give the same world. */
function revive(world: World, store: Store, codec: ListingCodec): void {
  const dump = store.readSetting('world')
  if (dump !== null) world.restore(dump)
  let hasSteps = false
  for (const step of store.readSteps()) {
    hasSteps = true
    repeat(world, step, codec)
  }
  if (hasSteps) store.writeWorld(() => world.dump())
}

function repeat(world: World, step: WorldStep, codec: ListingCodec): void {
  switch (step.kind) {
    case 'tick':
      world.tick(step.nowMs)
      return
    case 'take':
      world.take(step.market as MarketId, step.id)
      return
    case 'put_back':
      world.putBack(codec.decode(step.listing))
      return
    case 'price':
      world.setPrice(step.market as MarketId, step.id, step.priceMills)
      return
    case 'remove':
      world.remove(step.market as MarketId, step.id)
      return
    default:
      throw new Error(`unknown step ${JSON.stringify(step satisfies never)}`)
  }
}
