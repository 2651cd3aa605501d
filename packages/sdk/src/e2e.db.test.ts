// The SDK against the real service, as `npm start` runs it, with its webhooks arriving at our own adapter.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { type TestDatabase, testDatabase } from '../../../tests/support/database.ts'
import { SMALL_DATASET } from '../../../tests/support/sandbox.ts'
import {
  type Demo,
  newSecretsKey,
  readDemo,
  type Server,
  startServer,
} from '../../../tests/support/server.ts'
import { until } from '../../../tests/support/until.ts'
import { Tradepost } from './client.ts'
import { TradepostError } from './errors.ts'
import type { ErrorKey } from './generated/error-keys.ts'
import type { WebhookEvent } from './generated/events.ts'
import type { MarketListing } from './generated/market.ts'
import type { Account } from './resources/account.ts'
import { examples } from './testing/examples.ts'
import { nodeWebhook } from './webhooks/node.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-sdk-e2e-'))
const events: WebhookEvent[] = []
const errors: unknown[] = []
let receive: ReturnType<typeof nodeWebhook>
const endpoint = createServer((request, response) => void receive(request, response))
let database: TestDatabase
let server: Server | undefined
let demo: Demo
let tradepost: Tradepost

before(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  database = await testDatabase({ poolSize: 1 })
  server = await startServer('all-in-one', {
    ...SMALL_DATASET,
    DATABASE_URL: database.url,
    SECRETS_KEY: newSecretsKey(),
    DATA_DIR: folder,
    SANDBOX_PORT: '0',
    WEBHOOK_URL: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`,
  })
  demo = readDemo(folder)
  receive = nodeWebhook({
    secret: demo.merchant.webhookSecret,
    onEvent: (event) => events.push(event),
    onRefused: (error) => errors.push(error),
    onError: (error) => errors.push(error),
  })
  tradepost = new Tradepost({ apiKey: demo.merchant.apiKey, baseUrl: demo.baseUrl })
  await until('the catalogue is stocked', async () => {
    const { total } = await tradepost.market.search({ inStock: true, limit: 1 })
    return total > 100
  })
})

after(async () => {
  const exit = await server?.end('SIGTERM')
  endpoint.close()
  endpoint.closeAllConnections()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
  assert.equal(exit?.code, 0, server?.said())
})

it('a sub-user is funded once, buys once, and every step arrives signed', async () => {
  const buyer = await aBuyer('anna', '200.00')
  const again = await tradepost.users.fund('anna', { amount: '200.00' }, { idempotencyKey: 'anna' })
  assert.equal(again.idempotent, true)
  const stored = await buyer.tradeUrls.create({ url: tradeUrl('accept00') })
  assert.equal(stored.isPrimary, true)

  const listing = await aListing(buyer)
  const body = {
    externalId: 'anna-1',
    items: [{ listingId: listing.id, maxPrice: listing.price.toFixed(2) }],
  }
  const bought = await buyer.market.buy(body)
  assert.equal((await buyer.market.buy(body)).id, bought.id)
  await until('the trade is completed', async () => {
    return (await buyer.transactions.get(bought.id)).status === 'completed'
  })
  const types = await until('the trade is settled', () => {
    const seen = eventsOf(bought.id).map(({ type }) => type)
    return seen.includes('trade.settled') && seen
  })
  const steps = ['initiated', 'pending', 'active', 'hold', 'completed', 'settled']
  assert.deepEqual([...types].sort(), steps.map((step) => `trade.${step}`).sort())
  assert.deepEqual(errors, [])
  assert.equal(await balanceOf(buyer), cents(200) - cents(bought.totalPrice))
  const trade = await tradepost.trades.get(bought.id)
  assert.equal(trade.externalId, 'anna-1')
})

it('a declined offer costs the penalty, as the event says', async () => {
  const buyer = await aBuyer('bert', '200.00')
  const listing = await aListing(buyer)
  const { id, totalPrice } = await buyer.market.buy({
    externalId: 'bert-1',
    tradeUrl: tradeUrl('declin00'),
    items: [{ listingId: listing.id, maxPrice: '200.00' }],
  })
  const refunded = await until('the refund event arrives', () =>
    eventsOf(id).find((event) => event.type === 'trade.refunded'),
  )
  assert.ok(refunded.type === 'trade.refunded')
  const { refund } = refunded.data
  assert.equal(refund.buyerFault, true)
  assert.equal(cents(refund.refunded) + cents(refund.penalty), cents(totalPrice))
  assert.equal(await balanceOf(buyer), cents(200) - cents(refund.penalty))
})

it('refusals of the service arrive with their keys and details', async () => {
  const buyer = await aBuyer('carl', '0.01')
  const listing = await aListing(buyer)
  const buy = (maxPrice: string, listingId = listing.id): Promise<unknown> =>
    buyer.market.buy({ tradeUrl: tradeUrl('accept00'), items: [{ listingId, maxPrice }] })

  const poor = await refused('INSUFFICIENT_BALANCE', buy('500.00'))
  assert.deepEqual([poor.meta.requiredCents, poor.meta.availableCents], [cents(listing.price), 1])
  const dear = await refused('PRICE_MISMATCH', buy('0.01'))
  assert.deepEqual([dear.meta.listingId, dear.meta.currentPrice], [listing.id, listing.price])
  const wrong = await refused('VALIDATION_FAILED', buy('5,00'))
  assert.equal(wrong.meta.errors[0]?.pointer, '/items/0/maxPrice')
  await refused('TRADE_NOT_FOUND', buyer.transactions.get('0193f3f0-0000-7000-8000-000000000000'))
  await refused('USER_NOT_FOUND', tradepost.as('unknown').wallet.get())
  const other = { amount: '0.02' }
  const conflict = tradepost.users.fund('carl', other, { idempotencyKey: 'carl' })
  assert.equal((await refused('IDEMPOTENCY_CONFLICT', conflict)).idempotencyKey, 'carl')
  const unknownKey = new Tradepost({ apiKey: 'tp_wrong', baseUrl: demo.baseUrl })
  assert.match(
    (await refused('INVALID_API_KEY', unknownKey.wallet.get())).requestId,
    /^[0-9a-f-]{36}$/,
  )
})

it('a reference of any text names the same sub-user in paths and in headers', async () => {
  const externalId = 'Žofie/../#?&% 龍'
  const { id } = await tradepost.users.create({ externalId })
  assert.equal((await tradepost.users.get(externalId)).id, id)
  await tradepost.users.fund(externalId, { amount: '7.00' })
  assert.equal(await balanceOf(tradepost.as(externalId)), 700)
  assert.equal((await tradepost.users.suspend(externalId)).status, 'suspended')
  assert.equal((await tradepost.users.reactivate(externalId)).status, 'active')
  await tradepost.users.defund(externalId, { amount: '7.00' })
  assert.equal((await tradepost.users.delete(externalId)).status, 'deleted')
})

it('iterating goes through all pages, by number and by cursor', async () => {
  const made = ['p1', 'p2', 'p3', 'p4', 'p5']
  for (const externalId of made) await tradepost.users.create({ externalId })
  const seen: (string | null)[] = []
  for await (const user of tradepost.users.list({ q: 'p', limit: 2 })) seen.push(user.externalId)
  assert.deepEqual(seen, made.toReversed())

  const user = await aBuyer('dora', '1.00')
  for (const amount of ['2.00', '3.00', '4.00']) await tradepost.users.fund('dora', { amount })
  let sum = 0
  for await (const row of user.wallet.ledger({ limit: 1 })) sum += cents(row.amount)
  assert.deepEqual([sum, await balanceOf(user)], [1000, 1000])
})

it('the catalogue is read item by item and as a whole', async () => {
  const prices = await tradepost.market.allPrices()
  const [suggestion] = await tradepost.market.suggest('redline')
  assert.ok(suggestion)
  assert.equal((await tradepost.market.item(suggestion.id)).id, suggestion.id)
  assert.ok(prices.some(({ id }) => id === suggestion.id))
  const { items } = await tradepost.market.search({ category: ['Normal', 'Souvenir'], limit: 5 })
  assert.equal(items.length, 5)
  assert.ok(Array.isArray(await tradepost.market.history(suggestion.id)))
  const { wallets } = await tradepost.merchant.get()
  assert.equal(wallets.spot?.currency, 'USD')
})

it('the examples of the README run with the documented output', async () => {
  const env = {
    PATH: process.env.PATH,
    TRADEPOST_API_KEY: demo.merchant.apiKey,
    TRADEPOST_URL: demo.baseUrl,
  }
  const said = new Map<string, string>()
  for (const name of ['first-purchase', 'sub-user', 'lists', 'errors', 'live-market']) {
    const program = join(folder, `${name}.mts`)
    const door = JSON.stringify(join(import.meta.dirname, 'index.ts'))
    const live = JSON.stringify(join(import.meta.dirname, 'live/index.ts'))
    const code = (examples().get(name) ?? '')
      .replace("'@tradepost/sdk'", door)
      .replace("'@tradepost/sdk/live'", live)
    writeFileSync(program, code)
    const options = { env, timeout: 30_000 }
    const { stdout } = await promisify(execFile)(process.execPath, [program], options)
    said.set(name, stdout)
  }
  assert.match(said.get('first-purchase') ?? '', /^[0-9a-f-]{36} \d+(\.\d+)? \w+\n$/)
  assert.match(said.get('sub-user') ?? '', /currency: 'USD', balance: \d+/)
  assert.match(said.get('lists') ?? '', /^\d+ \d+\n/)
  assert.match(said.get('errors') ?? '', /^\d+ cents are missing\n$/)
  assert.match(said.get('live-market') ?? '', /\n\d+\n$/)
})

const tradeUrl = (token: string): string =>
  `https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=${token}`

const cents = (amount: number): number => Math.round(amount * 100)

const balanceOf = async (account: Account): Promise<number> =>
  cents((await account.wallet.get()).balance)

const eventsOf = (tradeId: string): WebhookEvent[] =>
  events.filter(({ data }) => 'trade' in data && data.trade.id === tradeId)

async function aBuyer(externalId: string, amount: string): Promise<Account> {
  await tradepost.users.create({ externalId })
  await tradepost.users.fund(externalId, { amount }, { idempotencyKey: externalId })
  return tradepost.as(externalId)
}

/** Something from 1 to 100 dollars, as the buyer sees it. */
async function aListing(buyer: Account): Promise<MarketListing> {
  const bounds = { minPrice: '1.00', maxPrice: '100.00' }
  for await (const item of buyer.market.search({ ...bounds, inStock: true })) {
    const { items } = await buyer.market.listings(item.id, { ...bounds, limit: 1 })
    const [listing] = items
    if (listing !== undefined) return buyer.market.listing(listing.id)
  }
  throw new Error('nothing is for sale')
}

async function refused<Key extends ErrorKey>(
  key: Key,
  call: Promise<unknown>,
): Promise<Extract<TradepostError, { key: Key }>> {
  const error: unknown = await call.then(
    () => assert.fail(`expected ${key}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof TradepostError, String(error))
  assert.equal(error.key, key)
  return error as Extract<TradepostError, { key: Key }>
}
