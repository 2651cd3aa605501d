// Our accounts at the markets in the whole service: one without money, one that its market does not serve.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import type { MarketId, SandboxListing } from '../support/sandbox.ts'
import { metricOf } from '../support/server.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  balanceOf,
  buyNext,
  buyRaw,
  centsOf,
  readTrade,
  stock,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

const BUYS = 500
const AT_ONCE = 25

let stack: Stack
before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), { RATE_LIMIT_SCALE: '100' })
})
after(() => stack.close())

interface Account {
  readonly because: string | null
  readonly isRead: boolean
  readonly waiting: number
}

const ACCOUNT = sql(
  'test_account',
  `select a.closed_because because, a.balance_at is not null "isRead",
     (select count(*)::int from buying.item i where i.market = a.market and i.work = 'place') waiting
   from buying.market_account a where a.market = $1`,
)
async function accountAt(market: MarketId): Promise<Account> {
  const [account] = await stack.database.db.query<Account>(ACCOUNT, [market])
  return account ?? assert.fail(market)
}

const untilRead = (market: MarketId) =>
  until('its balance is known', async () => (await accountAt(market)).isRead)

const untilClosedBy = (market: MarketId, because: string | null) =>
  until(`the account at ${market} is closed by ${because}`, async () => {
    const account = await accountAt(market)
    if (account.because === because) return account
    throw new Error(`it is closed by ${account.because}`)
  })

async function listingsOf(market: MarketId, count: number): Promise<SandboxListing[]> {
  const listings = await stack.control.listings(market, 1000)
  const found = listings.filter(({ priceMills }) => priceMills >= 100 && priceMills <= 20_000)
  assert.ok(found.length >= count, `${market} has ${found.length} listings`)
  return found.slice(0, count)
}

interface Tried {
  readonly tradeId: string | null
  readonly refusal: string | null
}

async function tryAll(market: MarketId, listings: readonly SandboxListing[]): Promise<Tried[]> {
  const tried: Tried[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < listings.length; index = next++) {
      const raw = [`${market}:${listings[index]?.id}`]
      const { data, error } = await buyRaw(stack.merchant, { raw })
      tried[index] = { tradeId: data?.id ?? null, refusal: error?.key ?? null }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return tried
}

it('of 500 buys against an empty account at most 16 orders are sent, the rest is refused before escrow, and nothing is lost or bought twice', async () => {
  const { merchant, control } = stack
  const market = 'market_a'
  await untilClosedBy(market, null)
  await untilRead(market)
  const funded = centsOf(await balanceOf(merchant))
  const listings = await listingsOf(market, BUYS)
  await control.setMarket(market, { balance: '0' })
  const tried = await tryAll(market, listings)
  const accepted = tried.flatMap(({ tradeId }) => (tradeId === null ? [] : [tradeId]))
  const refusals = new Set(tried.flatMap(({ refusal }) => (refusal === null ? [] : [refusal])))
  refusals.delete('LISTING_NOT_FOUND')
  assert.deepEqual([...refusals], ['MARKET_UNAVAILABLE'])
  assert.ok(tried.slice(-BUYS / 2).every(({ tradeId }) => tradeId === null))
  // By the first refusal, or by a reading of the balance that came before it.
  const because = await until('the account is closed for its money', async () => {
    const { because: reason } = await accountAt(market)
    return reason === 'no_funds' || reason === 'low' ? reason : null
  })
  assert.deepEqual(await control.orders(market), [])

  // What was sent in vain has failed and is refunded; what was not sent waits.
  const isSettled = async () => {
    const trades = await Promise.all(accepted.map((id) => readTrade(merchant, id)))
    const open = trades.filter(({ status }) => status === 'initiated')
    return open.length === (await accountAt(market)).waiting ? { trades, open } : null
  }
  const { trades, open } = await until('nothing is under way', isSettled)
  const failed = trades.filter(({ status }) => status === 'failed')
  assert.equal(failed.length + open.length, accepted.length)
  assert.ok(failed.length <= 16, `${failed.length} orders were sent in vain`)
  assert.ok(failed.every(({ items }) => items[0]?.error === 'MARKET_UNAVAILABLE'))
  const escrowed = open.reduce((sum, { totalPrice }) => sum + centsOf(totalPrice), 0)
  assert.equal(centsOf(await balanceOf(merchant)), funded - escrowed)
  const closed = { market, account: 'main', because }
  await until('the metric shows it', async () => {
    const value = await metricOf(stack.server(), 'tradepost_market_account_closed', closed)
    return value === 1
  })

  await control.setMarket(market, { balance: '100000' })
  await untilClosedBy(market, null)
  const ended = await Promise.all(open.map(({ id }) => untilEnded(merchant, id)))
  const completed = ended.filter(({ status }) => status === 'completed')
  assert.deepEqual(
    (await control.orders(market)).map(({ customId }) => customId).sort(),
    completed.map(({ items }) => items[0]?.id).sort(),
  )
  await stack.auditBooks()
})

it('below its reserve a market sells nothing, the list of accounts says why, and the audit log who set it', async () => {
  const { merchant, ops } = stack
  const set = (reserve: string) =>
    ops('market:account', 'set', 'market_b', 'main', '--reserve', reserve, '--reason', 'a drill')
  const [listing] = await listingsOf('market_b', 1)
  assert.ok(listing)
  await untilRead('market_b')
  await set('5000000')
  assert.match(await ops('market:account', 'list'), /market_b +main .* low /)
  const raw = [`market_b:${listing.id}`]
  assert.equal((await buyRaw(merchant, { raw })).error?.key, 'MARKET_UNAVAILABLE')
  await set('0')
  assert.equal((await accountAt('market_b')).because, null)
  assert.match(await ops('audit-log'), /market_account\.reserve/)
})

it('an account in another currency, or whose key is refused, is closed until it is served', async () => {
  const { merchant, control } = stack
  const [listing] = (await listingsOf('market_a', BUYS)).slice(-1)
  assert.ok(listing)
  const buy = async () => (await buyRaw(merchant, { raw: [`market_a:${listing.id}`] })).error?.key
  const change = (changes: object) => control.call('PUT', '/markets/market_a', changes)
  for (const [fault, repaired, because] of [
    [{ currency: 'EUR' }, { currency: 'USD' }, 'currency'],
    [{ forbidden: true }, { forbidden: false }, 'forbidden'],
  ] as const) {
    await change(fault)
    await untilClosedBy('market_a', because)
    assert.equal(await buy(), 'MARKET_UNAVAILABLE')
    await change(repaired)
    await untilClosedBy('market_a', null)
  }
  const supply = await stock(control, 'market_a')
  const { receipt } = await buyNext(merchant, { market: 'market_a', supply })
  assert.equal((await untilEnded(merchant, receipt.id)).status, 'completed')
})
