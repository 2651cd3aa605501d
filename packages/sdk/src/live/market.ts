// The live market as a map that keeps itself true: a snapshot, the frames since, and another snapshot
// whenever frames were lost.
import type { MarketListing } from '../generated/market.ts'
import { type Connection, connect, type RawFrame } from './connection.ts'
import { createNewsQueue } from './news-queue.ts'
import type { Access, FollowOptions } from './options.ts'

export interface FollowMarketOptions extends FollowOptions {
  /**
   * `watchlist` follows what `market.live()` lists; `all` is every event of every listing, where
   * `referencePrice` is null and `rarity`, `collection` and `fade` are left out. `watchlist` by default.
   */
  readonly scope?: 'watchlist' | 'all' | undefined
  /**
   * With `scope: 'all'`: the items whose listings are read at the beginning and whenever frames were
   * lost. Needs an `account`.
   */
  readonly items?: readonly string[] | undefined
  /** Another way to read what there is. Listings that it does not tell are taken to be gone. */
  readonly snapshot?: ((signal: AbortSignal) => Promise<Iterable<MarketListing>>) | undefined
  /** Listings that are not wanted are as if they did not exist. */
  readonly filter?: ((listing: MarketListing) => boolean) | undefined
}

export type MarketNews =
  /** A listing is there, or is different. */
  | { readonly type: 'upsert'; readonly listing: MarketListing }
  /** It is gone; what was known of it. */
  | { readonly type: 'remove'; readonly listing: MarketListing }
  /** `listings` is true: at the beginning, and again after each interruption. */
  | { readonly type: 'synced' }
  /** Frames were lost or the connection is gone: `listings` may be old until the next `synced`. */
  | { readonly type: 'behind' }

export interface MarketFollower extends AsyncIterable<MarketNews> {
  /** By listing id. */
  readonly listings: ReadonlyMap<string, MarketListing>
  /** `listings` is as true as a connection can make it. */
  readonly isSynced: boolean
  /** Resolves when `listings` is true for the first time; rejects when that will never be. */
  readonly synced: Promise<void>
  stop(): void
}

/** Follows the market until it is stopped. */
export function followMarket(options: FollowMarketOptions & Access): MarketFollower {
  const { scope = 'watchlist', filter = () => true } = options
  const listings = new Map<string, MarketListing>()
  const queue = createNewsQueue<MarketNews>()
  const snapshot = snapshotOf(options, scope)
  let lastTs: number | null = null
  let isSynced = false
  let reading: AbortController | null = null
  /** What frames said since a snapshot was asked for: newer than the snapshot, or soon to be. */
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
      const told = new Map<string, MarketListing>()
      for (const listing of await snapshot(own.signal)) told.set(listing.id, listing)
      if (own.signal.aborted) return
      for (const [id, listing] of since) {
        if (listing === null) told.delete(id)
        else told.set(id, listing)
      }
      for (const id of [...listings.keys()]) if (!told.has(id)) drop(id)
      for (const listing of told.values()) {
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
        // A place to resume from is only worth something once there is something to resume.
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
      // Whatever a newer service may say besides.
    }
    seenTs = Math.max(seenTs, ts)
    if (isSynced) lastTs = seenTs
  }
  let seenTs = 0
  let resuming: ReturnType<typeof setTimeout> | undefined
  /** A gap would be told at once: when none is, what was missed is on its way. */
  const resume = (): void => {
    clearTimeout(resuming)
    resuming = setTimeout(() => {
      if (reading === null) setSynced()
    }, GAP_IS_TOLD_WITHIN_MS)
  }

  const connection = connect({
    ...options,
    address: () => addressOf(options, '/market/live', 'market', { scope, since: lastTs }),
    onFrame,
    onGone: () => {
      clearTimeout(resuming)
      // A snapshot that was not finished is begun again.
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

const GAP_IS_TOLD_WITHIN_MS = 250

/** Whatever the order of their fields. */
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

/** Of a promise that nobody may be waiting for. */
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
  scope: 'watchlist' | 'all',
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

/** A listing looks the same whichever way it came. */
function asInFirehose(listing: MarketListing): MarketListing {
  const { rarity: _, collection: _1, fade: _2, hardened: _3, ...shown } = listing
  return { ...shown, referencePrice: null }
}

/** The address of a channel, with a fresh token. */
export async function addressOf(
  access: Access,
  path: '/market/live' | '/user/live',
  channel: 'market' | 'user',
  query: Readonly<Record<string, string | number | null>> = {},
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
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) url.searchParams.set(name, String(value))
  }
  return url.href
}
