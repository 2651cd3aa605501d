import type { Dataset, DatasetOptions, Listing, ListingChange, MarketId } from './dataset/types.ts'
import { createListingCodec, type ListingCodec } from './store/listing-codec.ts'
import type { Store, Table } from './store/store.ts'

/** One step of the dataset that a restart has to repeat, in the order in which it was taken. */
type DatasetStep =
  | { readonly kind: 'tick'; readonly nowMs: number }
  | { readonly kind: 'take'; readonly market: string; readonly id: string }
  | { readonly kind: 'put_back'; readonly listing: string }
  | {
      readonly kind: 'price'
      readonly market: string
      readonly id: string
      readonly priceMills: number
    }
  | { readonly kind: 'remove'; readonly market: string; readonly id: string }

/** The cause of a change: the market's own activity, an order, or the control interface. */
export type ChangeCause = 'tick' | 'order' | 'control'

type DatasetView = Pick<
  Dataset,
  'catalogue' | 'listing' | 'listings' | 'listingsOf' | 'countOf' | 'inventoryOf'
>

/** The dataset for all other modules. Every change is stored before it is applied. */
export interface DatasetKeeper {
  readonly dataset: DatasetView
  readonly codec: ListingCodec
  take(market: MarketId, id: string): boolean
  putBack(listing: Listing): void
  setPrice(market: MarketId, id: string, priceMills: number, cause: ChangeCause): Listing | null
  remove(market: MarketId, id: string, cause: ChangeCause): boolean
  tick(nowMs: number): void
  subscribe(listener: (change: ListingChange, cause: ChangeCause) => void): void
  /** Writes the dataset as a whole, so that the next start has no steps to repeat. */
  save(): void
}

/** One tick is always this many changes; the rate is the number of ticks a second. A tick in the
 * store must mean the same after a restart with another rate. */
export const CHANGES_PER_TICK = 5

/**
 * Repeating a step takes up to 0.1 ms, and writing the whole takes as long as there are listings: of a
 * million, a step for each twenty, so that the one is not done every minute nor the other for long.
 */
const STEPS_BEFORE_SAVE = 5_000
const LISTINGS_PER_STEP = 20

/** The data folder belongs to another dataset. */
export class DatasetMismatch extends Error {}

export function keepDataset(options: {
  readonly store: Store
  readonly createDataset: (options: DatasetOptions) => Dataset
  readonly seed: number
  readonly listingCount: number
  readonly itemCount?: number
  readonly nowMs: number
}): DatasetKeeper {
  const { store } = options
  const dataset = options.createDataset({
    seed: options.seed,
    listingCount: options.listingCount,
    ...(options.itemCount === undefined ? {} : { itemCount: options.itemCount }),
    nowMs: birthOf(options),
    changesPerTick: CHANGES_PER_TICK,
  })
  const codec = createListingCodec(dataset.catalogue)
  const steps = store.table('dataset_step')
  restore(dataset, { store, steps, codec })

  let cause: ChangeCause = 'tick'
  let stepCount = 0
  const stepsBeforeSave = Math.max(STEPS_BEFORE_SAVE, options.listingCount / LISTINGS_PER_STEP)
  const write = (step: DatasetStep, by: ChangeCause): void => {
    if (stepCount >= stepsBeforeSave) save()
    stepCount += 1
    cause = by
    steps.append(JSON.stringify(step))
  }
  const save = (): void => {
    saveWhole(dataset, store, steps)
    stepCount = 0
  }

  return {
    dataset,
    codec,
    take(market, id) {
      if (dataset.listing(market, id) === undefined) return false
      write({ kind: 'take', market, id }, 'order')
      return dataset.take(market, id)
    },
    putBack(listing) {
      write({ kind: 'put_back', listing: codec.encode(listing) }, 'order')
      dataset.putBack(listing)
    },
    setPrice(market, id, priceMills, by) {
      if (dataset.listing(market, id) === undefined) return null
      write({ kind: 'price', market, id, priceMills }, by)
      return dataset.setPrice(market, id, priceMills) ?? null
    },
    remove(market, id, by) {
      if (dataset.listing(market, id) === undefined) return false
      write({ kind: 'remove', market, id }, by)
      return dataset.remove(market, id)
    },
    tick(nowMs) {
      write({ kind: 'tick', nowMs }, 'tick')
      dataset.tick(nowMs)
    },
    subscribe(listener) {
      dataset.subscribe((change) => listener(change, cause))
    },
    save,
  }
}

/** The time of the first start: the dataset is always built from it, because listings depend on it. */
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
    throw new DatasetMismatch(
      `The sandbox's data folder holds the dataset of SANDBOX_SEED=${birth.seed} and SANDBOX_LISTINGS=${birth.listingCount}: start with these values or with an empty folder.`,
    )
  }
  return birth.nowMs
}

/** The last whole state, then each step since, in order: the same calls give the same dataset. */
function restore(
  dataset: Dataset,
  {
    store,
    steps,
    codec,
  }: { readonly store: Store; readonly steps: Table; readonly codec: ListingCodec },
): void {
  const dump = store.readSetting('dataset')
  if (dump !== null) dataset.restore(dump)
  const texts = [...steps.rows()].map(({ row }) => row)
  for (const text of texts) repeat(dataset, JSON.parse(text) as DatasetStep, codec)
  if (texts.length > 0) saveWhole(dataset, store, steps)
}

/** The dataset as a whole; the steps that led to it are no longer needed. */
function saveWhole(dataset: Dataset, store: Store, steps: Table): void {
  store.atomically(() => {
    store.writeSetting('dataset', dataset.dump())
    steps.clear()
  })
}

function repeat(dataset: Dataset, step: DatasetStep, codec: ListingCodec): void {
  switch (step.kind) {
    case 'tick':
      dataset.tick(step.nowMs)
      return
    case 'take':
      dataset.take(step.market as MarketId, step.id)
      return
    case 'put_back':
      dataset.putBack(codec.decode(step.listing))
      return
    case 'price':
      dataset.setPrice(step.market as MarketId, step.id, step.priceMills)
      return
    case 'remove':
      dataset.remove(step.market as MarketId, step.id)
      return
    default:
      throw new Error(`unknown step ${JSON.stringify(step satisfies never)}`)
  }
}
