// Reference prices and sales a day, apart from the items: both markets publish them without a key, for
// everything that they trade. A list that is implausible as a whole contributes nothing. What bots may pay by
// needs two lists (decision 0062).
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Mills } from '#kernel/money'
import { isReference, isVolume } from './accept-item.ts'
import type { CatalogItem } from './item.ts'
import type { ListedPrice, PriceList } from './ports.ts'
import { hasMoved, medianOf } from './price-level.ts'
import { changeCatalog } from './store/change.ts'
import { listChangedItems } from './store/items.ts'
import {
  type ItemPrice,
  listNamesForSale,
  listStates,
  noteList,
  writePrices,
} from './store/lists.ts'

export interface RefreshPricesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly lists: readonly PriceList[]
  /** An operator believes prices whose median has moved by more than half. */
  readonly isAnyLevel?: boolean
}

export interface PricesReport {
  readonly lists: readonly {
    readonly name: string
    readonly items: number
    readonly unreadable: number
    /** Why it was not believed. */
    readonly refused: string | null
    /** Why it could not be had. */
    readonly failed: string | null
  }[]
  readonly written: number
}

const MOST_AGE_MS = 48 * 3_600_000
/** A list that is away or refused no longer than this takes no quote away. */
const MOST_SILENCE_MS = 6 * 3_600_000
const LEAST_LISTS_TO_QUOTE = 2
const CHUNK = 2000

export async function refreshPrices(
  { db, clock, lists, isAnyLevel = false }: RefreshPricesDeps,
  signal: AbortSignal,
): Promise<PricesReport> {
  const changes = await listChangedItems(db, -1n)
  // A stub stays without a reference: nothing is held against its price.
  const known = changes.filter(({ listed, stub }) => listed && !stub).map(({ item }) => item)
  const read: ReadList[] = []
  for (const list of lists) {
    const one = await readList({ db, clock, isAnyLevel }, list, known, signal)
    const { name, refused, failed } = one
    const isGood = refused === null && failed === null
    await noteList(db, name, { at: clock.now(), isGood, refused })
    read.push(one)
  }
  const silent = read.filter(({ refused, failed }) => refused !== null || failed !== null)
  const since = new Date(clock.now().getTime() - MOST_SILENCE_MS)
  const prices = combine(
    read.map(({ prices }) => prices),
    known,
    { mayReturn: await wereGood(db, silent, since) },
  )
  let written = 0
  for (let at = 0; at < prices.length; at += CHUNK) {
    const chunk = prices.slice(at, at + CHUNK)
    written += await changeCatalog(db, (tx, seq) => writePrices(tx, seq, chunk))
  }
  const reports = read.map(({ prices: _, ...details }) => details)
  return { lists: reports, written }
}

/** Whether one of these lists was good a short while ago. */
async function wereGood(
  db: Db,
  lists: readonly { readonly name: string }[],
  since: Date,
): Promise<boolean> {
  const names = new Set(lists.map(({ name }) => name))
  const states = await listStates(db)
  return states.some(({ name, goodAt }) => names.has(name) && goodAt >= since)
}

interface ReadList {
  readonly name: string
  /** None of a list that is not believed. */
  readonly prices: readonly ListedPrice[]
  readonly items: number
  readonly unreadable: number
  readonly refused: string | null
  readonly failed: string | null
}

async function readList(
  { db, clock, isAnyLevel = false }: Pick<RefreshPricesDeps, 'db' | 'clock' | 'isAnyLevel'>,
  { market, fetch }: PriceList,
  known: readonly CatalogItem[],
  signal: AbortSignal,
): Promise<ReadList> {
  const name = `prices_${market}`
  const nothing = { name, prices: [], items: 0, unreadable: 0, refused: null, failed: null }
  try {
    const list = await fetch(signal)
    const forSale = await listNamesForSale(db, market)
    const refused = refusalOf(list, { known, forSale, isAnyLevel, now: clock.now() })
    return {
      ...{ name, refused, failed: null, unreadable: list.unreadable },
      items: list.prices.length,
      prices: refused === null ? list.prices : [],
    }
  } catch (error) {
    if (signal.aborted) throw error
    return { ...nothing, failed: error instanceof Error ? error.message : 'failed' }
  }
}

/** Why a list is not believed as a whole. */
function refusalOf(
  { madeAt, prices, unreadable }: Awaited<ReturnType<PriceList['fetch']>>,
  {
    known,
    forSale,
    isAnyLevel,
    now,
  }: {
    readonly known: readonly CatalogItem[]
    /** Names that the market offers. */
    readonly forSale: readonly string[]
    readonly isAnyLevel: boolean
    readonly now: Date
  },
): string | null {
  const rows = prices.length + unreadable
  if (prices.length === 0) return 'it names no price'
  if (unreadable * 10 > rows) return `${unreadable} of ${rows} rows are unreadable`
  if (madeAt !== null && now.getTime() - madeAt.getTime() > MOST_AGE_MS) {
    return `it was made at ${madeAt.toISOString()}`
  }
  const named = new Set(prices.map(({ marketHashName }) => marketHashName))
  const lacking = forSale.filter((name) => !named.has(name)).length
  if (lacking * 2 > forSale.length) return `it lacks ${lacking} of ${forSale.length} names for sale`
  if (isAnyLevel) return null
  const references = new Map(known.map((item) => [keyOf(item), item.referenceMills]))
  const moves = prices.flatMap((price) => {
    const before = references.get(keyOf(price)) ?? null
    const now = middleOf(price.pricesMills)
    return before === null || now === null ? [] : [{ before, now }]
  })
  return hasMoved(moves) ? 'the median of its prices has moved by more than half' : null
}

/**
 * What is said of each item now. One list alone says what it costs, and not what bots may pay: that stays as
 * it was while another list may come back, and ends when it does not.
 */
function combine(
  lists: readonly (readonly ListedPrice[])[],
  known: readonly CatalogItem[],
  { mayReturn }: { readonly mayReturn: boolean },
): ItemPrice[] {
  const saidBy = lists.map(figuresByKey)
  return known.flatMap((item) => {
    const key = keyOf(item)
    const said = saidBy.flatMap((list) => list.get(key) ?? [])
    const figures = said.map(({ figures }) => figures).filter(({ length }) => length > 0)
    const quotable = figures.length >= LEAST_LISTS_TO_QUOTE
    if (!quotable && item.quotable && mayReturn) return []
    const referenceMills = referenceOf(figures) ?? item.referenceMills
    if (referenceMills === null || !isReference(referenceMills)) return []
    const volumes = said.map(({ volume }) => volume).filter(isVolume)
    const volume = volumes.length === 0 ? null : Math.max(...volumes)
    return [{ id: item.id, referenceMills, volume, quotable }]
  })
}

interface Said {
  readonly figures: Mills[]
  volume: number | null
}

/** Rows of one name are one word of the list. */
function figuresByKey(prices: readonly ListedPrice[]): ReadonlyMap<string, Said> {
  const byKey = new Map<string, Said>()
  for (const price of prices) {
    const key = keyOf(price)
    const said = byKey.get(key) ?? { figures: [], volume: null }
    said.figures.push(...price.pricesMills)
    if (price.volume !== null) said.volume = Math.max(said.volume ?? 0, price.volume)
    byKey.set(key, said)
  }
  return byKey
}

/** The middle of all that is said, and no more than each list names somewhere: none alone makes it dear. */
function referenceOf(lists: readonly (readonly Mills[])[]): Mills | null {
  const middle = middleOf(lists.flat())
  if (middle === null) return null
  const highest = lists.map((figures) => figures.reduce((high, one) => (one > high ? one : high)))
  return highest.reduce((low, one) => (one < low ? one : low), middle)
}

const middleOf = (figures: readonly Mills[]): Mills | null =>
  figures.length === 0 ? null : medianOf([...figures])

/** A price of a name says nothing of its phases, which differ by a factor of ten. */
const keyOf = ({
  marketHashName,
  phase,
}: {
  readonly marketHashName: string
  readonly phase: string | null
}): string => `${marketHashName}\u0000${phase ?? ''}`
