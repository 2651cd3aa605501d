// The live market as a map that is kept current: a snapshot, the frames since, and another snapshot whenever
// frames were lost.
import type { ListMarketListingsQuery, MarketListing } from '../generated/market.ts'
import { queryPairs } from '../request.ts'
import { type Connection, connect, type RawFrame } from './connection.ts'
import type { Access, FollowOptions } from './options.ts'
import { createUpdateQueue } from './update-queue.ts'

export interface FollowMarketOptions extends FollowOptions {
  /**
   * `watchlist` follows what `market.live()` lists; `all` is every event of every listing, where
   * `referencePrice` is null and `rarity`, `collection` and `fade` are left out; `filter` is what
   * `market.findListings(where)` lists. `watchlist` by default.
   */
  readonly scope?: LiveScope | undefined
  /** With `scope: 'filter'`: the filters. Without any every listing is followed. */
  readonly where?: ListingFilters | undefined
  /**
   * With `scope: 'all'`: the items whose listings are read at the start and whenever frames were lost.
   * Needs an `account`.
   */
  readonly items?: readonly string[] | undefined
  /** Replaces the built-in snapshot. Listings that it does not return are removed. */
  readonly snapshot?: ((signal: AbortSignal) => Promise<Iterable<MarketListing>>) | undefined
  /** Listings for which it returns false are left out. */
  readonly filter?: ((listing: MarketListing) => boolean) | undefined
}

export type LiveScope = 'watchlist' | 'all' | 'filter'

/** The filters of `market.findListings`. */
export type ListingFilters = Omit<ListMarketListingsQuery, 'sort' | 'cursor' | 'limit'>

export type MarketUpdate =
  /** A listing is new or has changed. */
  | { readonly type: 'upsert'; readonly listing: MarketListing }
  /** A listing was removed; its last known state. */
  | { readonly type: 'remove'; readonly listing: MarketListing }
  /** `listings` is current: at the start, and again after each interruption. */
  | { readonly type: 'synced' }
  /** Frames were lost or the connection ended: `listings` may be stale until the next `synced`. */
  | { readonly type: 'behind' }

export interface MarketFollower extends AsyncIterable<MarketUpdate> {
  /** By listing id. */
  readonly listings: ReadonlyMap<string, MarketListing>
  /** Whether `listings` is current. */
  readonly isSynced: boolean
  /** Resolves when `listings` is current for the first time; rejects when the follower ends before. */
  readonly synced: Promise<void>
  stop(): void
}

/** Follows the market until it is stopped. Throws a TypeError at once where there is no WebSocket. */
export function followMarket(options: FollowMarketOptions & Access): MarketFollower {
  const { scope = 'watchlist', filter = () => true } = options
  const listings = new Map<string, MarketListing>()
  const queue = createUpdateQueue<MarketUpdate>()
  if (options.where !== undefined && scope !== 'filter') {
    throw new TypeError("where needs scope: 'filter'")
  }
  const snapshot = snapshotOf(options, scope)
  let lastTs: number | null = null
  let isSynced = false
  let reading: AbortController | null = null
  /** Changes by frames since the snapshot was requested; they are newer than the snapshot. */
  let since = new Map<string, MarketListing | null>()
  const first = createFirst()

  const put = (listing: MarketListing): void => {
    if (!filter(listing)) {
      drop(listing.id)
      return
    }
    listings.set(listing.id, listing)
    queue.push({ type: 'upsert', listing }, listing.id)
  }
  const drop = (id: string): void => {
    const listing = listings.get(id)
    if (listing === undefined) return
    listings.delete(id)
    queue.push({ type: 'remove', listing }, id)
  }
  const setSynced = (): void => {
    if (isSynced) return
    isSynced = true
    queue.push({ type: 'synced' })
    first.resolve()
  }
  const setBehind = (): void => {
    if (isSynced) queue.push({ type: 'behind' })
    isSynced = false
  }

  const sync = async (connection: Connection): Promise<void> => {
    reading?.abort()
    const own = new AbortController()
    reading = own
    since = new Map()
    setBehind()
    try {
      const snapshotListings = new Map<string, MarketListing>()
      for (const listing of await snapshot(own.signal)) snapshotListings.set(listing.id, listing)
      if (own.signal.aborted) return
      for (const [id, listing] of since) {
        if (listing === null) snapshotListings.delete(id)
        else snapshotListings.set(id, listing)
      }
      for (const id of [...listings.keys()]) if (!snapshotListings.has(id)) drop(id)
      for (const listing of snapshotListings.values()) {
        if (!isSame(listings.get(listing.id), listing)) put(listing)
      }
      reading = null
      setSynced()
    } catch (error) {
      if (own.signal.aborted) return
      reading = null
      connection.restart(error)
    }
  }

  const onFrame = ({ event, data, ts }: RawFrame): void => {
    switch (event) {
      case 'market.ready':
        // Without a timestamp to resume from, the map starts from a snapshot.
        if (lastTs === null) void sync(connection)
        else resume()
        break
      case 'market.gap':
        void sync(connection)
        break
      case 'market.new':
      case 'market.update': {
        const listing = data as MarketListing
        if (reading !== null) since.set(listing.id, listing)
        put(listing)
        break
      }
      case 'market.remove': {
        const { listingId } = data as { listingId: string }
        if (reading !== null) since.set(listingId, null)
        drop(listingId)
        break
      }
      // A heartbeat has a time to resume from. Other events of a newer service are ignored.
    }
    seenTs = Math.max(seenTs, ts)
    if (isSynced) lastTs = seenTs
  }
  let seenTs = 0
  let resuming: ReturnType<typeof setTimeout> | undefined
  /** The service reports a gap at once; without a report the missed frames follow. */
  const resume = (): void => {
    clearTimeout(resuming)
    resuming = setTimeout(() => {
      if (reading === null) setSynced()
    }, GAP_REPORT_WINDOW_MS)
  }

  const connection = connect({
    ...options,
    address: () =>
      addressOf(options, '/market/live', 'market', { ...options.where, scope, since: lastTs }),
    onFrame,
    onGone: () => {
      clearTimeout(resuming)
      // A snapshot that was not finished starts again.
      if (reading !== null) lastTs = null
      reading?.abort()
      reading = null
      setBehind()
    },
  })
  connection.ended.then(
    () => {
      queue.end()
      first.reject(new Error('The follower was stopped'))
    },
    (error) => {
      queue.end(error)
      first.reject(error)
    },
  )

  return {
    listings,
    get isSynced() {
      return isSynced
    },
    synced: first.promise,
    stop: connection.stop,
    [Symbol.asyncIterator]: queue.iterate,
  }
}

const GAP_REPORT_WINDOW_MS = 250

/** Deep equality, whatever the order of the fields. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') {
    return one === other
  }
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) =>
      isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  )
}

/** A promise whose rejection is not reported as unhandled when nothing awaits it. */
function createFirst(): { promise: Promise<void>; resolve(): void; reject(reason: unknown): void } {
  let resolve: () => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => {})
  return { promise, resolve: () => resolve(), reject: (reason) => reject(reason) }
}

function snapshotOf(
  options: FollowMarketOptions & Access,
  scope: LiveScope,
): (signal: AbortSignal) => Promise<Iterable<MarketListing>> {
  if (options.snapshot !== undefined) return options.snapshot
  if (!('account' in options)) {
    if (options.items !== undefined) throw new TypeError('items need an account to read them with')
    return async () => []
  }
  const { market } = options.account
  if (scope === 'watchlist') {
    return (signal) => collect(market.live({ limit: 100 }, { signal }))
  }
  if (scope === 'filter') {
    return (signal) => collect(market.findListings({ ...options.where, limit: 100 }, { signal }))
  }
  const { items = [] } = options
  return async (signal) => {
    const found: MarketListing[] = []
    for (const itemId of items) {
      found.push(...(await collect(market.listings(itemId, { limit: 100 }, { signal }))))
    }
    return found.map(asInFirehose)
  }
}

async function collect(list: AsyncIterable<MarketListing>): Promise<MarketListing[]> {
  const found: MarketListing[] = []
  for await (const listing of list) found.push(listing)
  return found
}

/** Reduces a listing to the fields of the `all` channel, so that both sources compare equal. */
function asInFirehose(listing: MarketListing): MarketListing {
  const { rarity: _, collection: _1, fade: _2, hardened: _3, ...shown } = listing
  return { ...shown, referencePrice: null }
}

/** The address of a channel, with a fresh token. */
export async function addressOf(
  access: Access,
  path: '/market/live' | '/user/live',
  channel: 'market' | 'user',
  query: object = {},
): Promise<string> {
  const { baseUrl, token } =
    'account' in access
      ? {
          baseUrl: access.account.live.baseUrl,
          token: (await access.account.live.token([channel])).token,
        }
      : { baseUrl: access.baseUrl, token: await access.token() }
  const url = new URL(`${String(baseUrl).replace(/\/+$/, '')}${path}`)
  url.protocol = url.protocol.replace('http', 'ws')
  url.searchParams.set('token', token)
  // No WebSocket of a platform shows pings, so a dead connection looks like a quiet one.
  url.searchParams.set('heartbeat', '1')
  for (const [name, value] of queryPairs(query)) url.searchParams.append(name, value)
  return url.href
}
