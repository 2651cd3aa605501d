// The followers against a WebSocket that the test controls.
import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { until } from '../../../../tests/support/until.ts'
import type { MarketListing } from '../generated/market.ts'
import { type FollowMarketOptions, followMarket, type MarketUpdate } from './market.ts'
import { type Disconnect, LiveError } from './options.ts'
import { followUser, type UserUpdate } from './user.ts'

const listing = (id: string, price = 1): MarketListing =>
  ({ id, price, name: id, previewToken: null }) as MarketListing

/** The service's end of each connection, in the order in which they were made. */
function aService() {
  const sockets: FakeSocket[] = []
  class FakeSocket {
    onopen = null
    onmessage: ((event: never) => void) | null = null
    onclose: ((event: never) => void) | null = null
    onerror = null
    readonly url: URL
    closedWith: number | undefined
    constructor(url: string) {
      this.url = new URL(url)
      sockets.push(this)
    }
    close(code?: number): void {
      this.closedWith = code
    }
    say(event: string, data: unknown, ts = 1000, id?: string): void {
      this.onmessage?.({ data: JSON.stringify({ id, event, data, ts }) } as never)
    }
    end(code: number, reason = ''): void {
      this.onclose?.({ code, reason } as never)
    }
  }
  return {
    WebSocket: FakeSocket,
    socket: (i: number): Promise<FakeSocket> => until(`connection ${i}`, () => sockets[i]),
    count: () => sockets.length,
  }
}

let tokens = 0
const RUNTIME = { random: () => 0.5, sleep: async () => {} }

function follow(service: ReturnType<typeof aService>, options: Partial<FollowMarketOptions> = {}) {
  const gone: Disconnect[] = []
  const market = followMarket({
    baseUrl: 'https://api.example.com',
    token: async () => `token-${++tokens}`,
    WebSocket: service.WebSocket,
    runtime: RUNTIME,
    onDisconnect: (reason) => gone.push(reason),
    ...options,
  })
  const updates: MarketUpdate[] = []
  const reading = (async () => {
    for await (const one of market) updates.push(one)
  })()
  reading.catch(() => {})
  return { market, updates, gone, reading }
}

const idsOf = (map: ReadonlyMap<string, MarketListing>): string[] => [...map.keys()].sort()

it('frames that come while the snapshot is read win over it', async () => {
  const service = aService()
  const snapshot = Promise.withResolvers<MarketListing[]>()
  const { market } = follow(service, { snapshot: () => snapshot.promise })
  const socket = await service.socket(0)
  socket.say('market.ready', { scope: 'watchlist' })
  socket.say('market.update', listing('b', 20))
  socket.say('market.remove', { listingId: 'c' })
  assert.equal(market.isSynced, false)
  snapshot.resolve([listing('a'), listing('b', 10), listing('c')])
  await market.synced
  assert.deepEqual(idsOf(market.listings), ['a', 'b'])
  assert.equal(market.listings.get('b')?.price, 20)
  market.stop()
  await until('the socket is closed', () => socket.closedWith === 1000)
})

it('after a lost connection it resumes with a fresh token from the last frame', async () => {
  const service = aService()
  let snapshots = 0
  const { market, updates, gone } = follow(service, {
    snapshot: async () => {
      snapshots++
      return [listing('a')]
    },
  })
  const first = await service.socket(0)
  first.say('market.ready', {})
  await market.synced
  first.say('market.new', listing('b'), 5000)
  first.end(1006)
  const second = await service.socket(1)
  assert.equal(market.isSynced, false)
  assert.equal(second.url.searchParams.get('since'), '5000')
  assert.notEqual(second.url.searchParams.get('token'), first.url.searchParams.get('token'))
  assert.equal(
    `${second.url.protocol}//${second.url.host}${second.url.pathname}`,
    'wss://api.example.com/market/live',
  )
  second.say('market.ready', {}, 6000)
  second.say('market.remove', { listingId: 'a' }, 5500)
  await until('it is synced again', () => market.isSynced)
  assert.deepEqual(idsOf(market.listings), ['b'])
  assert.equal(snapshots, 1)
  assert.deepEqual(
    gone.map(({ code, attempt }) => [code, attempt]),
    [[1006, 1]],
  )
  await until('the updates', () => updates.filter(({ type }) => type === 'synced').length === 2)
  assert.ok(updates.some(({ type }) => type === 'behind'))
  market.stop()
})

it('after a gap it reads a snapshot again and reports only the differences', async () => {
  const service = aService()
  const snapshots = [
    [listing('a'), listing('b')],
    [listing('b'), listing('c')],
  ]
  const { market, updates } = follow(service, { snapshot: async () => snapshots.shift() ?? [] })
  const socket = await service.socket(0)
  socket.say('market.ready', {})
  await market.synced
  await until('the first updates', () => updates.length === 3)
  updates.length = 0
  socket.say('market.gap', {})
  await until('it is synced again', () => market.isSynced && updates.length === 4)
  assert.deepEqual(idsOf(market.listings), ['b', 'c'])
  const reported = updates.map((one) =>
    'listing' in one ? `${one.type} ${one.listing.id}` : one.type,
  )
  assert.deepEqual(reported, ['behind', 'remove a', 'upsert c', 'synced'])
  market.stop()
})

it('a snapshot that cannot be read is tried again on a new connection, without a timestamp to resume from', async () => {
  const service = aService()
  let fails = true
  const { market, gone } = follow(service, {
    snapshot: async () => {
      if (fails) throw new Error('no answer')
      return [listing('a')]
    },
  })
  const first = await service.socket(0)
  first.say('market.ready', {})
  const second = await service.socket(1)
  assert.match(String(gone[0]?.error), /no answer/)
  fails = false
  assert.equal(second.url.searchParams.get('since'), null)
  second.say('market.ready', {})
  await market.synced
  assert.deepEqual(idsOf(market.listings), ['a'])
  market.stop()
})

it('a quiet connection costs no token for an hour, and a dead one is found within 60 s', async () => {
  for (const [channel, start] of [
    ['market', followMarket],
    ['user', followUser],
  ] as const) {
    const service = aService()
    let requested = 0
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const follower = start({
        baseUrl: 'https://api.example.com',
        token: async () => `token-${++requested}`,
        WebSocket: service.WebSocket,
        runtime: RUNTIME,
      })
      const updates: string[] = []
      const reading = (async () => {
        for await (const { type } of follower) updates.push(type)
      })()
      await turns()
      const socket = await service.socket(0)
      assert.equal(socket.url.searchParams.get('heartbeat'), '1')
      socket.say(`${channel}.ready`, {}, 1000)
      await turns()
      for (let s = 25; s <= 3600; s += 25) {
        mock.timers.tick(25_000)
        socket.say(`${channel}.heartbeat`, {}, 1000 + s)
      }
      await turns()
      assert.deepEqual([service.count(), requested], [1, 1])
      assert.equal(updates.length, 1, `${channel}: ${updates}`)
      mock.timers.tick(60_000)
      await turns()
      assert.deepEqual([service.count(), requested], [2, 2])
      const since = (await service.socket(1)).url.searchParams.get('since')
      assert.equal(since, channel === 'market' ? '4600' : null)
      follower.stop()
      await reading
    } finally {
      mock.timers.reset()
    }
  }
})

/** What is due without time has happened. */
const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

it('ends with the code and the reason when the service refuses it permanently', async () => {
  for (const { codes, attempts } of [
    { codes: [4003], attempts: 1 },
    { codes: [4001, 4001, 4001], attempts: 3 },
  ]) {
    const service = aService()
    const { market, reading } = follow(service)
    for (const [i, code] of codes.entries()) (await service.socket(i)).end(code, 'no')
    const isRefused = (error: unknown): boolean =>
      error instanceof LiveError && error.code === codes.at(-1) && error.reason === 'no'
    await assert.rejects(reading, isRefused)
    await assert.rejects(market.synced, isRefused)
    assert.equal(service.count(), attempts)
  }
})

it('without a WebSocket a follower throws at once, with the remedy, and requests no token', () => {
  const { WebSocket } = globalThis
  Reflect.deleteProperty(globalThis, 'WebSocket')
  try {
    let requestedTokens = 0
    const token = async (): Promise<string> => `token-${++requestedTokens}`
    for (const start of [followMarket, followUser]) {
      assert.throws(() => start({ baseUrl: 'https://api.example.com', token }), {
        name: 'TypeError',
        message: /no global WebSocket.*WebSocket option.*Node\.js 22/,
      })
    }
    assert.equal(requestedTokens, 0)
  } finally {
    globalThis.WebSocket = WebSocket
  }
})

it('a failed token request is retried', async () => {
  const service = aService()
  let requested = 0
  const { market, gone } = follow(service, {
    token: async () => {
      if (++requested < 3) throw new Error('not now')
      return 'token'
    },
  } as Partial<FollowMarketOptions>)
  await service.socket(0)
  assert.deepEqual(
    gone.map(({ attempt }) => attempt),
    [1, 2],
  )
  market.stop()
})

it('a slow iterator receives the latest of each listing, and every removal', async () => {
  const service = aService()
  const market = followMarket({
    baseUrl: 'https://api.example.com',
    token: async () => 'token',
    WebSocket: service.WebSocket,
    runtime: RUNTIME,
  })
  const reader = market[Symbol.asyncIterator]()
  const socket = await service.socket(0)
  socket.say('market.ready', {})
  await market.synced
  for (let price = 1; price <= 1000; price++) {
    socket.say('market.update', listing('a', price))
    socket.say('market.update', listing('b', price))
  }
  socket.say('market.remove', { listingId: 'b' })
  const received: MarketUpdate[] = []
  while (received.length < 3) {
    const { value, done } = await reader.next()
    assert.ok(!done)
    received.push(value)
  }
  assert.deepEqual(
    received.map((one) =>
      'listing' in one ? [one.type, one.listing.id, one.listing.price] : [one.type],
    ),
    [['synced'], ['upsert', 'a', 1000], ['remove', 'b', 1000]],
  )
  market.stop()
  assert.deepEqual((await reader.next()).value, { type: 'behind' })
  assert.equal((await reader.next()).done, true)
})

it('unreadable frames and unknown events are ignored', async () => {
  const service = aService()
  const { market } = follow(service, { snapshot: async () => [listing('a')] })
  const socket = await service.socket(0)
  socket.onmessage?.({ data: 'x' } as never)
  socket.onmessage?.({ data: 'null' } as never)
  socket.onmessage?.({ data: new ArrayBuffer(1) } as never)
  socket.say('market.ready', {})
  await market.synced
  socket.say('market.moon', { phase: 'full' })
  assert.deepEqual(idsOf(market.listings), ['a'])
  market.stop()
})

it('an account’s events are passed on unchanged, with ready after each possible loss', async () => {
  const service = aService()
  const user = followUser({
    baseUrl: 'https://api.example.com/base/',
    token: async () => 'token',
    WebSocket: service.WebSocket,
    runtime: RUNTIME,
  })
  const updates: UserUpdate[] = []
  const reading = (async () => {
    for await (const one of user) updates.push(one)
  })()
  const first = await service.socket(0)
  assert.equal(first.url.pathname, '/base/user/live')
  first.say('user.ready', { scope: 'user' }, 1)
  first.say('trade.pending', { trade: { id: 't' } }, 2, 'e')
  first.end(1001)
  const second = await service.socket(1)
  second.say('user.ready', { scope: 'user' }, 3)
  await until('the updates', () => updates.length === 3)
  assert.deepEqual(
    updates.map((update) => ('id' in update ? [update.id, update.type, update.ts] : [update.ts])),
    [[1], ['e', 'trade.pending', 2], [3]],
  )
  user.stop()
  await reading
})
