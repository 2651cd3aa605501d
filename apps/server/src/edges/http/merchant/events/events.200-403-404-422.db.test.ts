import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from '../../../../infra/database/db.ts'
import { newId } from '../../../../kernel/id.ts'
import {
  changeKey,
  listKeys,
  revokeKey,
  setAccountStatus,
} from '../../../../modules/accounts/identity/index.ts'
import { givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
import { useServer } from '../testing/merchant-server.ts'
import {
  givenTrader,
  refusalOf,
  startTradingServer,
  type Trader,
} from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/merchant/events'
/** That one tenant has by key. */
const WAITS = 8
const DISPATCH = sql('test.dispatch', 'select count(*) from outbox.dispatch($1, $2)')

/** Buys one listing and dispatches its event; the id of the trade. */
async function bought(trader: Trader): Promise<string> {
  const id = await placed(trader)
  await dispatch()
  return id
}

/** Places the buy of one listing; its event is not dispatched. */
async function placed({ client }: Trader): Promise<string> {
  const listingId = String(await givenListing(edge.db, { priceMills: 10_000n }))
  const { data } = await client.post('/market/buy', { items: [{ listingId, maxPrice: '99.00' }] })
  return data.id
}

const dispatch = (): Promise<unknown> => edge.db.query(DISPATCH, [100, edge.server.clock.now()])

it('lists the newest first, and reads one by its id', async () => {
  const trader = await givenTrader(edge)
  const trades = [await bought(trader), await bought(trader)]
  const { status, data } = await trader.client.get(PATH)
  assert.equal(status, 200)
  assert.deepEqual(
    data.items.map((event: { type: string; data: { trade: { id: string } } }) => [
      event.type,
      event.data.trade.id,
    ]),
    trades.toReversed().map((id) => ['trade.initiated', id]),
  )
  const [newest] = data.items
  assert.deepEqual((await trader.client.get(`${PATH}/${newest.id}`)).data, newest)
})

it('follows from an event on, oldest first, and only the types asked for', async () => {
  const trader = await givenTrader(edge)
  const trades = [await bought(trader), await bought(trader), await bought(trader)]
  const start = (await trader.client.get(`${PATH}?after=start&limit=1`)).data
  assert.equal(start.items[0].data.trade.id, trades[0])
  const rest = (await trader.client.get(`${PATH}?after=${start.nextCursor}`)).data
  assert.deepEqual(
    rest.items.map((event: { data: { trade: { id: string } } }) => event.data.trade.id),
    trades.slice(1),
  )
  const none = (await trader.client.get(`${PATH}?after=start&type=trade.settled`)).data
  assert.deepEqual(none.items, [])
})

it('after an event that is no longer kept begins with the oldest that is, and none is before it', async () => {
  const trader = await givenTrader(edge)
  const daysAgo = (days: number): string =>
    newId(edge.server.clock.now().getTime() - days * 24 * 3_600_000)
  const gone = daysAgo(401)
  const empty = (await trader.client.get(`${PATH}?after=${gone}`)).data
  assert.deepEqual(empty, { items: [], nextCursor: gone }, 'it is still a position to follow from')
  const tradeId = await bought(trader)
  const { items, nextCursor } = (await trader.client.get(`${PATH}?after=${gone}`)).data
  assert.deepEqual(
    items.map((event: { data: { trade: { id: string } } }) => event.data.trade.id),
    [tradeId],
  )
  assert.equal(nextCursor, items[0].id)
  const before = (await trader.client.get(`${PATH}?cursor=${gone}`)).data
  assert.deepEqual(before, { items: [], nextCursor: null })
  const unknown = await trader.client.get(`${PATH}?after=${daysAgo(399)}`)
  assert.deepEqual(refusalOf(unknown), [422, 'VALIDATION_FAILED'])
})

it('a key that loses its access during a wait gets the refusal, and no event', async () => {
  const { db, server } = edge
  const at = server.clock.now()
  const losses: readonly [string, (trader: Trader, keyId: string) => Promise<unknown>][] = [
    ['API_KEY_REVOKED', (_, keyId) => db.transaction((tx) => revokeKey(tx, keyId, at))],
    [
      'API_KEY_IP_DENIED',
      (_, keyId) =>
        db.transaction((tx) => changeKey(tx, keyId, { allowlist: ['192.0.2.0/24'] }, new Date())),
    ],
    [
      'ACCOUNT_SUSPENDED',
      ({ id }) => db.transaction((tx) => setAccountStatus(tx, id, 'suspended', at)),
    ],
  ]
  for (const [key, lose] of losses) {
    const trader = await givenTrader(edge)
    await placed(trader)
    const [{ id: keyId } = { id: '' }] = await listKeys(db, trader.id)
    // There is one slot too few: when the first poll has lost its own, all others wait.
    const polls = Array.from({ length: WAITS + 1 }, () =>
      trader.client.get(`${PATH}?after=start&wait=25`),
    )
    assert.equal((await Promise.race(polls)).status, 200)
    await lose(trader, keyId)
    await dispatch()
    const answers = await Promise.all(polls)
    const seen = answers.map((answer) => answer.key ?? answer.data.items.length)
    assert.deepEqual(seen.toSorted(), [0, ...Array.from({ length: WAITS }, () => key)])
  }
})

it('requests that wait for the same event share its reading, and each gets all of it', async () => {
  const trader = await givenTrader(edge)
  const tradeId = await placed(trader)
  // There is one slot too few: when the first poll has lost its own, all others wait.
  const polls = Array.from({ length: WAITS + 1 }, () =>
    trader.client.get(`${PATH}?after=start&wait=25`),
  )
  await Promise.race(polls)
  await dispatch()
  const answers = (await Promise.all(polls)).filter(({ data }) => data.items.length > 0)
  assert.equal(answers.length, WAITS)
  assert.ok(answers.every(({ data }) => data.items[0].data.trade.id === tradeId))
  // Those that are woken while one reads share it; on a busy machine one may be woken after it.
  const reads = edge.server.tradesOfEvents.filter(([id]) => id === tradeId)
  assert.ok(reads.length < WAITS, `${reads.length} readings for ${WAITS} requests`)
})

it('403: on behalf of a sub-user', async () => {
  const { client } = await givenTrader(edge)
  await client.post('/merchant/users', { externalId: 'u1' })
  const refused = await client.get(PATH, { 'on-behalf-of': 'u1' })
  assert.deepEqual(refusalOf(refused), [403, 'FORBIDDEN'])
})

it('404: the event of another merchant', async () => {
  const trader = await givenTrader(edge)
  await bought(trader)
  const [event] = (await trader.client.get(PATH)).data.items
  const other = await givenTrader(edge)
  assert.deepEqual(refusalOf(await other.client.get(`${PATH}/${event.id}`)), [404, 'NOT_FOUND'])
  assert.deepEqual((await other.client.get(PATH)).data.items, [])
})

it('422: a position that is no event of this merchant, and parameters that exclude each other', async () => {
  const { client } = await givenTrader(edge)
  const unknown = newId(edge.server.clock.now().getTime())
  for (const query of [
    `after=${unknown}`,
    `cursor=${unknown}`,
    'after=one',
    'wait=1',
    `after=start&cursor=${unknown}`,
    'limit=0',
    'type=trade.none',
  ]) {
    const refused = await client.get(`${PATH}?${query}`)
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'], query)
  }
})
