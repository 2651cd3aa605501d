// The sockets of one process, with real connections: readers that are slow, dead or away for a while.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { WebSocket } from 'ws'
import {
  attributesOf,
  type CatalogItem,
  type Listing,
  type ListingMove,
  type ListingsFollower,
} from '#catalog'
import { silentLog } from '#infra/process/log'
import { createMetrics, type Metrics } from '#infra/process/metrics'
import { createSecretBox } from '#infra/process/secrets'
import { cents, mills } from '#kernel/money'
import { createPriceTag } from '#pricing'
import { manualClock } from '../../../infra/testing/clock.ts'
import { until } from '../../../infra/testing/until.ts'
import {
  generateItems,
  NO_STOCK,
  seededRandom,
} from '../../../modules/trading/catalog/testing/items.ts'
import {
  buildSearchIndex,
  type SearchIndex,
} from '../../../modules/trading/catalog/view/search-index.ts'
import { createWsTokens } from '../shared/ws-token.ts'
import { type Live, openLive } from './live.ts'

const clock = manualClock(new Date('2026-11-21T12:00:00Z'))
const tokens = createWsTokens(createSecretBox([randomBytes(32)]))
const ACCOUNT = '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'

let index: SearchIndex
let server: Server
let live: Live
let metrics: Metrics
let unsent: ListingMove[]
let isActive: boolean
let hasBudget: boolean
let onTake: (() => void) | null
let accountReads: number
let onSelect: () => void
/** Prices that were worked out in this turn of the event loop, and the most of any turn. */
let pricedInTurn: number
let mostPricedInTurn: number
let switchedAt: Date | null
const open: (WebSocket | Socket)[] = []

/** Emits what the test asks for, and nothing by itself. */
const follower: ListingsFollower = {
  read: async (limit) => {
    const events = unsent.splice(0, limit)
    return { events, more: unsent.length > 0, lost: false, switched: false }
  },
  currentAt: () => clock.now(),
  switchedAt: () => switchedAt,
}

async function start(maxBufferedBytes = 256 * 1024 * 1024): Promise<void> {
  metrics = createMetrics()
  live = await openLive({
    tokens,
    clock,
    log: silentLog,
    metrics,
    follower,
    watchlist: { update: async () => [], wasListed: () => {}, doubt: () => {} },
    view: {
      select: () => {
        onSelect()
        return { index, set: null }
      },
      isCurrent: (selection) => selection.index === index,
    },
    readFilter: (search, scope) => {
      if (scope !== 'filter') return null
      const maxPrice = search.get('maxPrice')
      return {
        key: String(search.get('maxPrice')),
        items: { text: null, facets: {}, itemIds: null },
        terms: {
          ...{ minWear: null, maxWear: null, paintSeeds: null, stickers: [] },
          ...{ markets: null, delivery: null },
        },
        minPrice: null,
        maxPrice: maxPrice === null ? null : cents(BigInt(maxPrice) * 100n),
      }
    },
    events: { follow: async () => {}, unfollow: () => {}, read: async () => [] },
    renderEvents: async () => [],
    findAccount: async () => {
      accountReads++
      return isActive
        ? {
            id: ACCOUNT,
            tag: {
              ...createPriceTag({ currency: 'USD', houseFeeBps: 0, merchantFeeBps: 0 }, null),
              ...{ key: 'USD', reference: () => cents(0n) },
              price: (asked) => {
                pricedInTurn++
                return cents(asked / 10n)
              },
            },
          }
        : null
    },
    slots: {
      take: async () => {
        onTake?.()
        return 'taken'
      },
      release: () => {},
    },
    admit: async () => hasBudget,
    maxBufferedBytes,
  })
  server.removeAllListeners('upgrade')
  server.on('upgrade', live.accept)
}

before(async () => {
  const item = { ...(generateItems(1, seededRandom(1))[0] as CatalogItem), id: '0123456789abcdef' }
  index = await buildSearchIndex([item], () => NO_STOCK)
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
after(() => server.close())
beforeEach(() => {
  unsent = []
  isActive = true
  hasBudget = true
  onTake = null
  accountReads = 0
  onSelect = () => {}
  switchedAt = null
  pricedInTurn = 0
  mostPricedInTurn = 0
})
afterEach(async () => {
  for (const socket of open.splice(0)) {
    if (socket instanceof WebSocket) socket.terminate()
    else socket.destroy()
  }
  await live.stop()
})

const query = (more = '', channel: 'market' | 'user' = 'market'): string => {
  const expiresAt = new Date(clock.now().getTime() + 300_000)
  const owner = {
    accountId: ACCOUNT,
    tenantId: ACCOUNT,
    session: null,
    tier: 'standard',
    keyId: 'k',
    address: '::1',
  } as const
  return `/${channel}/live?token=${tokens.issue({ ...owner, expiresAt, scopes: [channel] })}${more}`
}

interface Frame {
  readonly event: string
  readonly data: {
    readonly id?: string
    readonly listingId?: string
    readonly price?: number
    readonly phase?: string
  }
  readonly ts: number
}

/** A reader that reads. */
async function reader(
  more = '',
  channel: 'market' | 'user' = 'market',
): Promise<{ frames: Frame[]; closed: Promise<number>; ws: WebSocket }> {
  const { port } = server.address() as AddressInfo
  const ws = new WebSocket(`ws://127.0.0.1:${port}${query(more, channel)}`)
  open.push(ws)
  const frames: Frame[] = []
  ws.on('message', (data) => frames.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => ws.on('close', resolve))
  await until('ready', () => frames.length > 0)
  return { frames, closed, ws }
}

/** One that asks for everything and reads nothing. */
async function sleeper(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  open.push(socket)
  socket.on('error', () => {})
  socket.write(
    `GET ${query()} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.pause()
  return socket
}

const metricOf = async (name: string): Promise<number> => {
  const line = (await metrics.text())
    .split('\n')
    .find((text) => text.startsWith(`tradepost_${name}`))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

/** Large, so that a reader who reads nothing is soon behind. */
const PADDING = 'x'.repeat(2000)

function changeOf(id: number, price: number | null): ListingMove {
  const listing = {
    id: BigInt(id),
    market: 'market_a',
    rawId: String(id),
    itemId: '0123456789abcdef',
    game: 'cs2',
    priceMills: mills(BigInt((price ?? 0) * 1000)),
    referenceMills: null,
    description: {
      ...{ name: PADDING, marketHashName: '', type: '', iconUrl: '', exterior: null, rarity: '' },
      ...{ color: '', phase: null, wear: null, paintSeed: null, stickers: [], charm: null },
      delivery: 'standard',
    },
    ...{ itemType: '', weapon: null, collection: null, category: 'Normal', paintIndex: null },
    ...{ fade: null, inspectToken: null, assetId: null, classId: null, instanceId: null },
    changedAt: clock.now(),
  } satisfies Listing
  return {
    id: BigInt(id),
    itemId: listing.itemId,
    listing: price === null ? null : listing,
    appeared: false,
    before: null,
    atMs: clock.now().getTime(),
  }
}

function emit(...events: ListingMove[]): void {
  unsent.push(...events)
  live.wake()
}

const changesOf = ({ frames }: { frames: Frame[] }): number => frames.length - 1

it('a filter lets through what fits, ends what fits no more, and keeps quiet about the rest', async () => {
  await start()
  const cheap = await reader('&scope=filter&maxPrice=10')
  const same = await reader('&scope=filter&maxPrice=10')
  const all = await reader('&scope=filter')
  assert.deepEqual(cheap.frames[0]?.data, { scope: 'filter' })
  const moveTo = (id: number, price: number | null, from: number | null): ListingMove => {
    const { listing } = changeOf(id, from)
    return { ...changeOf(id, price), before: listing === null ? null : attributesOf(listing) }
  }
  emit(moveTo(1, 20, null), moveTo(2, 5, null))
  emit(moveTo(1, 9, 20), moveTo(2, 30, 5))
  emit(moveTo(2, 40, 30), moveTo(1, null, 9), moveTo(3, 1, null))
  await until('all of it', () => changesOf(all) === 7)
  await until('the last', () => cheap.frames.at(-1)?.data.id === '3')
  const shown = ({ frames }: { frames: Frame[] }): string[] =>
    frames.slice(1).map(({ event, data }) => `${event} ${data.id ?? data.listingId}`)
  assert.deepEqual(shown(cheap), [
    'market.update 2',
    'market.update 1',
    'market.remove 2',
    'market.remove 1',
    'market.update 3',
  ])
  await until('the same', () => changesOf(same) === 5)
  assert.deepEqual(shown(same), shown(cheap))
  // Who was away gets a removal of whatever may have fitted.
  const back = await reader(`&scope=filter&maxPrice=10&since=${clock.now().getTime()}`)
  await until('what was missed', () => changesOf(back) === 3)
  assert.deepEqual(shown(back).toSorted(), [
    'market.remove 1',
    'market.remove 2',
    'market.update 3',
  ])
})

it('the change of an item that is new to a filter comes when the filter has kept up with the catalogue', async () => {
  await start()
  const before = index
  const found = await reader('&scope=filter')
  const fresh = generateItems(1, seededRandom(2))[0] as CatalogItem
  index = await buildSearchIndex([...before.entries.map(({ item }) => item), fresh], () => NO_STOCK)
  // Longer than filters may take of one turn.
  onSelect = () => {
    const untilMs = performance.now() + 6
    while (performance.now() < untilMs);
  }
  try {
    const change = changeOf(1, 5)
    const listing = { ...(change.listing as Listing), itemId: fresh.id }
    emit({ ...change, itemId: fresh.id, listing })
    await until('the change', () => changesOf(found) === 1)
    assert.equal(found.frames.at(-1)?.data.id, '1')
  } finally {
    index = before
  }
})

it('a reader who does not read delays no other, and later finds the latest of each listing', async () => {
  await start()
  const slow = await sleeper()
  const quick = await reader()
  const rounds = 80
  for (let round = 1; round <= rounds; round++) {
    const isLast = round === rounds
    emit(
      ...Array.from({ length: 60 }, (_, id) => changeOf(id, isLast && id % 2 === 0 ? null : round)),
    )
    await until(`round ${round}`, () => changesOf(quick) === round * 60)
  }
  for (const [i, { ts }] of quick.frames.entries()) {
    assert.ok(ts >= (quick.frames[i - 1]?.ts ?? 0), 'in their order')
  }
  assert.ok(
    (await metricOf('live_conflated_total')) > 0,
    'old events of the slow one were replaced',
  )
  const buffered = await metricOf('live_buffered_bytes')
  assert.ok(buffered < 1_100_000, `what it makes us keep is bounded: ${buffered}`)

  const seen = new Map<string, Frame>()
  let bytes: Buffer = Buffer.alloc(0)
  let count = 0
  slow.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const { frame, rest } = nextFrame(bytes)
      if (frame === null) break
      bytes = rest
      count++
      seen.set(frame.data.id ?? frame.data.listingId ?? '', frame)
    }
  })
  slow.resume()
  const isRight = (): boolean =>
    Array.from({ length: 60 }, (_, id) => seen.get(String(id))).every((frame, id) =>
      id % 2 === 0 ? frame?.event === 'market.remove' : frame?.data.price === rounds,
    )
  await until('the slow one is right again', isRight)
  assert.ok(count < rounds * 60, `${count} frames instead of ${rounds * 60}`)
})

it('the change of a listing says its phase', async () => {
  await start()
  const socket = await reader()
  const event = changeOf(1, 5)
  const listing = event.listing as Listing
  const description = { ...listing.description, phase: 'Ruby' }
  emit({ ...event, listing: { ...listing, description } })
  await until('the change', () => changesOf(socket) === 1)
  assert.equal(socket.frames[1]?.data.phase, 'Ruby')
})

it('a socket beyond the budget is closed with 1013 before its account is read', async () => {
  await start()
  hasBudget = false
  const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}${query()}`)
  open.push(ws)
  const closed = await new Promise((resolve) =>
    ws.on('close', (code, reason) => resolve([code, String(reason)])),
  )
  assert.deepEqual(closed, [1013, 'Try again later'])
  assert.equal(accountReads, 0)
})

it('a reader who reads nothing for ten seconds is closed with 1013', async () => {
  await start()
  const slow = await sleeper()
  const quick = await reader()
  const isClosed = new Promise<void>((resolve) => slow.on('close', () => resolve()))
  for (let round = 1; round <= 60; round++) {
    emit(...Array.from({ length: 60 }, (_, id) => changeOf(id, round)))
    await until(`round ${round}`, () => changesOf(quick) === round * 60)
  }
  const closes = async (): Promise<boolean> =>
    (await metrics.text()).includes('tradepost_live_closes_total{code="1013"} 1')
  assert.ok(!(await closes()), 'it has ten seconds')
  clock.advance(10_500)
  await until('it is closed', closes)
  slow.resume()
  await isClosed
  assert.equal(quick.ws.readyState, WebSocket.OPEN)
})

it('when all readers together make the process keep too much, the worst are closed', async () => {
  await start(40_000)
  const slow = await sleeper()
  const quick = await reader()
  const isClosed = new Promise<void>((resolve) => slow.on('close', () => resolve()))
  for (let round = 1; round <= 40; round++) {
    emit(...Array.from({ length: 60 }, (_, id) => changeOf(id, round)))
    await until(`round ${round}`, () => changesOf(quick) === round * 60)
  }
  await until('the slow one is closed', async () =>
    (await metrics.text()).includes('tradepost_live_closes_total{code="1013"} 1'),
  )
  slow.resume()
  await isClosed
  assert.equal(quick.ws.readyState, WebSocket.OPEN)
})

it('a client that was away for a short time receives what it missed, the latest of each listing', async () => {
  await start()
  const first = await reader()
  emit(changeOf(1, 5), changeOf(2, 5))
  await until('both', () => changesOf(first) === 2)
  const lastTs = first.frames.at(-1)?.ts ?? 0
  first.ws.close()
  await first.closed
  clock.advance(60_000)
  emit(changeOf(1, 6), changeOf(1, 7), changeOf(3, null))
  const other = await reader()
  await until('they were sent', () => changesOf(other) >= 2)
  const back = await reader(`&since=${lastTs}`)
  const isNotified = (): boolean =>
    back.frames.some(({ data }) => data.price === 7) &&
    back.frames.some(({ data }) => data.listingId === '3')
  await until('what it missed', isNotified)
  assert.ok(!back.frames.some(({ event }) => event === 'market.gap'))
  assert.ok(!back.frames.some(({ data }) => data.price === 6))
})

it('to clients that missed much it is written in pieces, between which others are served', async () => {
  await start()
  const MISSED = 6000
  emit(...Array.from({ length: MISSED }, (_, id) => changeOf(id, 1)))
  let turn = setImmediate(function count() {
    mostPricedInTurn = Math.max(mostPricedInTurn, pricedInTurn)
    pricedInTurn = 0
    turn = setImmediate(count)
  })
  try {
    const since = `&since=${clock.now().getTime() - 1000}`
    await until('all are kept', () => unsent.length === 0)
    const back = await Promise.all(Array.from({ length: 8 }, () => reader(since)))
    for (const one of back) await until('what it missed', () => changesOf(one) === MISSED)
  } finally {
    clearImmediate(turn)
  }
  assert.ok(mostPricedInTurn > 0 && mostPricedInTurn <= 1000, `${mostPricedInTurn} in one turn`)
})

it('a client that was away for too long, over the return of a market, or says nonsense is informed of a gap', async () => {
  await start()
  const nowMs = clock.now().getTime()
  const gapAfter = async (since: string): Promise<void> => {
    const { frames } = await reader(`&since=${since}`)
    await until(`a gap after ${since}`, () => frames[1]?.event === 'market.gap')
    assert.equal(frames[0]?.event, 'market.ready')
    assert.deepEqual(frames[1]?.data, { scope: 'all' })
  }
  await gapAfter(String(nowMs - 600_000))
  await gapAfter(String(nowMs + 86_400_000))
  await gapAfter('yesterday')
  await gapAfter('')
  switchedAt = new Date(nowMs - 30_000)
  await gapAfter(String(nowMs))
})

it('a socket that asks for heartbeats gets one after 25 s without another frame, and no other does', async () => {
  await start()
  const beatsOf = ({ frames }: { frames: Frame[] }, channel: string): number =>
    frames.filter(({ event }) => event === `${channel}.heartbeat`).length
  const silent = await reader('&heartbeat=0')
  for (const channel of ['market', 'user'] as const) {
    const sooner = await reader('&heartbeat=1', channel)
    clock.advance(1)
    const later = await reader('&heartbeat=1', channel)
    for (const count of [1, 2]) {
      clock.advance(24_999)
      await until('it is 25 s for the one', () => beatsOf(sooner, channel) === count)
      assert.equal(beatsOf(later, channel), count - 1)
      clock.advance(1)
      await until('and for the other', () => beatsOf(later, channel) === count)
    }
    const last = later.frames.at(-1)
    assert.deepEqual(last?.data, {})
    assert.ok(Math.abs(clock.now().getTime() - (last?.ts ?? 0)) <= 25_000)
  }
  const changed = await reader('&heartbeat=1')
  clock.advance(24_999)
  emit(changeOf(1, 5))
  await until('a change', () => changesOf(changed) === 1)
  const witness = await reader('&heartbeat=1')
  clock.advance(24_999)
  emit(changeOf(1, 6))
  await until('another', () => changesOf(changed) === 2)
  clock.advance(25_000)
  await until(
    'each is quiet again',
    () => beatsOf(witness, 'market') + beatsOf(changed, 'market') === 2,
  )
  assert.equal(beatsOf(silent, 'market'), 0)
})

it('an account that is no longer active is closed at the next look', async () => {
  await start()
  const { closed } = await reader()
  isActive = false
  live.recheck({ accountId: ACCOUNT })
  assert.equal(await closed, 4001)
})

it('a key that is revoked while its socket takes a slot opens none that lasts', async () => {
  await start()
  onTake = () => {
    isActive = false
    live.recheck({ keyId: 'k' })
  }
  const { closed } = await reader()
  // And not only by the look of every 30 s.
  await until('its account is read again', () => accountReads > 1, { deadlineMs: 20_000 })
  assert.equal(await closed, 4001)
})

it('a stop closes every socket with a reason', async () => {
  await start()
  const { closed } = await reader()
  await live.stop()
  assert.equal(await closed, 1001)
})

function nextFrame(bytes: Buffer): { frame: Frame | null; rest: Buffer } {
  const none = { frame: null, rest: bytes }
  if (bytes.length < 4) return none
  const short = (bytes[1] ?? 0) & 0x7f
  const from = short === 126 ? 4 : 2
  const length = short === 126 ? bytes.readUInt16BE(2) : short
  if (bytes.length < from + length) return none
  const text = bytes.subarray(from, from + length).toString()
  return {
    frame:
      bytes[0] === 0x81
        ? (JSON.parse(text) as Frame)
        : ({ event: 'control', data: {}, ts: 0 } as Frame),
    rest: bytes.subarray(from + length),
  }
}
