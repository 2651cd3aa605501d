// The event feed has the data of the webhooks, for their tenant alone; a request may wait for an event.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '../../apps/server/src/kernel/id.ts'
import {
  type EventsPage,
  oncePerEvent,
  Tradepost,
  TradepostError,
  type WebhookEvent,
} from '../../packages/sdk/src/index.ts'
import { followUser } from '../../packages/sdk/src/live/index.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

const TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token='

let stack: Stack
let tradepost: Tradepost
before(async () => {
  stack = await shareStack()
  const { baseUrl, apiKey } = stack.merchant
  tradepost = new Tradepost({ baseUrl, apiKey })
})
after(() => stack.close())

it('following from an event returns every event of a sub-user’s trade, in order, as its webhooks do', async () => {
  await tradepost.users.create({ externalId: 'eve' })
  await tradepost.users.fund('eve', { amount: '300.00' })
  const place = (await tradepost.events.list({ limit: 1 })).items[0]?.id ?? 'start'
  const id = await buy('accept00')
  const followed: { id: string; type: string; data: object }[] = []
  for await (const event of tradepost.events.follow(place)) {
    if (tradeIdOf(event) === id) followed.push(event)
    if (event.type === 'trade.settled' && tradeIdOf(event) === id) break
  }
  const steps = ['initiated', 'pending', 'active', 'hold', 'completed', 'settled']
  assert.deepEqual(
    followed.map(({ type }) => type),
    steps.map((step) => `trade.${step}`),
  )
  const [last] = followed.slice(-1)
  const delivered = await until('its last webhook', () =>
    stack.webhooks.of(id).find(({ type }) => type === 'trade.settled'),
  )
  assert.deepEqual(last?.data, delivered.data)
  assert.deepEqual(await tradepost.events.get(last?.id ?? ''), last)
  const first = stack.webhooks.of(id).find(({ type }) => type === 'trade.initiated')
  const since = await tradepost.events.after(first?.id ?? '')
  assert.deepEqual(
    since.items.map(({ type }) => type),
    steps.slice(1).map((step) => `trade.${step}`),
  )
})

it('an event has one id: in its webhook, in the feed, at /user/live, and a helper drops its repeats', async () => {
  const handled: string[] = []
  const once = oncePerEvent(({ type }: { readonly id: string; readonly type: string }) => {
    handled.push(type)
  })
  const user = followUser({ account: tradepost.as('eve') })
  const updates = user[Symbol.asyncIterator]()
  assert.equal((await updates.next()).value?.type, 'ready')
  const place = (await tradepost.events.list({ limit: 1 })).items[0]?.id ?? 'start'
  const id = await buy('accept00')
  const idsOf = { feed: [] as string[], socket: [] as string[] }
  for await (const event of tradepost.events.follow(place)) {
    idsOf.feed.push(event.id)
    await once(event)
    if (event.type === 'trade.settled') break
  }
  for (let type = ''; type !== 'trade.settled'; ) {
    const { value: event } = await updates.next()
    assert.ok(event && event.type !== 'ready')
    type = event.type
    idsOf.socket.push(event.id)
    await once(event)
  }
  user.stop()
  const webhooks = await until('its webhooks', () => {
    const sent = stack.webhooks.of(id)
    return sent.length === idsOf.feed.length && sent
  })
  for (const event of webhooks) await once(event)
  assert.deepEqual(idsOf.socket, idsOf.feed)
  assert.deepEqual(
    webhooks.map((event) => event.id),
    idsOf.feed,
  )
  const steps = ['initiated', 'pending', 'active', 'hold', 'completed', 'settled']
  assert.deepEqual(
    handled,
    steps.map((step) => `trade.${step}`),
  )
})

it('the list is newest first, filters by type, and its cursor goes to the end', async () => {
  const id = await buy('declin00')
  await until('the refund', async () => {
    const { items } = await tradepost.events.list({ type: 'trade.refunded', limit: 1 })
    return items[0] !== undefined && tradeIdOf(items[0]) === id
  })
  const types: string[] = []
  for await (const event of tradepost.events.list({ limit: 2 })) types.unshift(event.type)
  assert.equal(types[0], 'trade.initiated')
  const { items } = await tradepost.events.list({ type: ['trade.refunded', 'trade.declined'] })
  assert.deepEqual(items.map(({ type }) => type).sort(), ['trade.declined', 'trade.refunded'])
  const refund = items.find(({ type }) => type === 'trade.refunded')
  assert.ok(refund?.type === 'trade.refunded' && refund.data.refund.buyerFault)
})

it('a wait ends empty when its time is over, and its place stays good', async () => {
  const [newest] = (await tradepost.events.list({ limit: 1 })).items
  assert.ok(newest)
  const page = await tradepost.events.after(newest.id, { wait: 1 })
  assert.deepEqual(page, { items: [], nextCursor: newest.id })
})

it('a malformed query is refused, and an unknown event is not found', async () => {
  const unknownId = newId()
  const { baseUrl, apiKey } = stack.merchant
  const ask = async (query: string): Promise<[number, string | undefined]> => {
    const response = await fetch(`${baseUrl}/merchant/events${query}`, {
      headers: { 'api-key': apiKey },
    })
    const answer = (await response.json()) as {
      error?: { meta?: { errors: { pointer: string }[] } }
    }
    return [response.status, answer.error?.meta?.errors[0]?.pointer]
  }
  assert.deepEqual(await ask('?wait=5'), [422, '/wait'])
  assert.deepEqual(await ask('?after=start&wait=26'), [422, '/wait'])
  assert.deepEqual(await ask(`?after=start&cursor=${unknownId}`), [422, '/cursor'])
  assert.deepEqual(await ask(`?after=${unknownId}`), [422, '/after'])
  assert.deepEqual(await ask(`?cursor=${unknownId}`), [422, '/cursor'])
  assert.deepEqual(await ask('?type=trade.unknown'), [422, '/type'])
  await assert.rejects(
    tradepost.events.get(unknownId),
    (error) => error instanceof TradepostError && error.key === 'NOT_FOUND',
  )
})

it('a stop of the service does not wait for long polls', async () => {
  const [newest] = (await tradepost.events.list({ limit: 1 })).items
  const { baseUrl, apiKey } = stack.merchant
  const patient = new Tradepost({ baseUrl, apiKey, maxRetries: 0 })
  const waiting: Promise<EventsPage> = patient.events.after(newest?.id ?? 'start', { wait: 25 })
  const startedMs = Date.now()
  // Of the answer alone: the start after the stop may take as long as it likes.
  const answeredMs = waiting.then(() => Date.now() - startedMs)
  await Promise.all([answeredMs, stack.restart()])
  assert.deepEqual((await waiting).items, [])
  assert.ok((await answeredMs) < 24_000, 'it ended before its time')
})

async function buy(token: string): Promise<string> {
  const eve = tradepost.as('eve')
  const bounds = { minPrice: '1.00', maxPrice: '40.00' }
  for await (const item of eve.market.search({ ...bounds, inStock: true })) {
    const [listing] = (await eve.market.listings(item.id, { ...bounds, limit: 1 })).items
    if (listing === undefined) continue
    const { id } = await eve.market.buy({
      tradeUrl: TRADE_URL + token,
      items: [{ listingId: listing.id, maxPrice: '60.00' }],
    })
    return id
  }
  throw new Error('nothing is for sale')
}

const tradeIdOf = ({ data }: WebhookEvent): string | null =>
  'trade' in data ? data.trade.id : null
