// Several accounts of ours at a market in the whole service: added while it runs, each with a key and money
// of its own.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import type { MarketId, SandboxOrder } from '../support/sandbox.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { buyNext, onlyItem, stock, untilEnded, untilStatus } from '../support/trading.ts'
import { until } from '../support/until.ts'

const KEYS = {
  market_a: {
    main: 'sandbox-market-a',
    second: 'second-key-at-a',
    third: 'third-key-at-a',
    fourth: 'fourth-key-at-a',
  },
  market_b: {
    main: 'sandbox-market-b',
    second: 'second-key-at-b',
    third: 'third-key-at-b',
    fourth: 'fourth-key-at-b',
  },
} as const
type Name = keyof (typeof KEYS)['market_a']

let stack: Stack
const folder = mkdtempSync(join(tmpdir(), 'tradepost-keys-'))

before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    RATE_LIMIT_SCALE: '100',
    SANDBOX_MARKET_A_KEY: Object.values(KEYS.market_a).join(','),
    SANDBOX_MARKET_B_KEY: Object.values(KEYS.market_b).join(','),
  })
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stack.close()
})

function fileOf(key: string): string {
  const file = join(folder, key)
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  return file
}

const account = (...args: string[]): Promise<string> =>
  stack.ops('market:account', ...args, '--reason', 'a test')

const add = (market: MarketId, name: Name, key: string = KEYS[market][name]): Promise<string> =>
  account('add', market, '--name', name, '--key-file', fileOf(key))

const rotate = (market: MarketId, to: Name, of: Name = 'second'): Promise<string> =>
  account('rotate', market, of, '--key-file', fileOf(KEYS[market][to]))

const READ = sql(
  'test_is_read',
  `select exists (select from buying.market_account a
     where a.market = $1 and a.name = $2 and a.balance_at is not null and a.closed_because is null) found`,
)
/** Workers have it, and have read its balance. */
const untilUsed = (market: MarketId, name: Name) =>
  until(`the account ${name} at ${market} is used`, async () => {
    const [row] = await stack.database.db.query<{ found: boolean }>(READ, [market, name])
    return row?.found === true
  })

/** Its balance as its market has it, and read. */
async function setBalance(market: MarketId, name: Name, balance: string): Promise<void> {
  await stack.control.setMarket(market, { account: KEYS[market][name], balance })
  await until(`the balance of ${name} is ${balance}`, async () => {
    const [row] = await stack.database.db.query<{ mills: bigint }>(BALANCE, [market, name])
    return row?.mills === BigInt(balance) * 1000n
  })
}
const BALANCE = sql(
  'test_account_balance',
  'select balance_mills mills from buying.market_account where market = $1 and name = $2',
)

async function orderOf(market: MarketId, itemId: string): Promise<SandboxOrder> {
  const orders = (await stack.control.orders(market)).filter(
    ({ customId }) => customId?.startsWith(itemId) === true,
  )
  assert.equal(orders.length, 1, 'it was ordered once')
  return orders[0] as SandboxOrder
}

it('an account is refused with a key that the market refuses, that another account has, or that is no key', async () => {
  await assert.rejects(add('market_b', 'second', 'not-a-key-there'), /does not serve this key/)
  await assert.rejects(add('market_b', 'second', KEYS.market_b.main), /Another account of ours/)
  await assert.rejects(
    account('add', 'market_b', '--name', 'second', '--key-file', fileOf('two words')),
    /is no key/,
  )
  await stack.control.setMarket('market_a', { account: KEYS.market_a.third, currency: 'EUR' })
  await assert.rejects(add('market_a', 'third'), /kept in EUR/)
  await stack.control.setMarket('market_a', { account: KEYS.market_a.third, currency: 'USD' })
  const list = await stack.ops('market:account', 'list', '--json')
  assert.deepEqual(
    (JSON.parse(list) as { account: string }[]).map((one) => one.account),
    ['main', 'main'],
  )
})

for (const market of ['market_a', 'market_b'] as const) {
  it(`an account that is added at ${market} buys what the first one cannot pay, and its orders are followed with its own key`, async () => {
    const { merchant, control } = stack
    const said = await add(market, 'second')
    assert.doesNotMatch(said, /second-key/)
    await untilUsed(market, 'second')
    await assert.rejects(add(market, 'second', KEYS[market].third), /has an account second already/)
    await assert.rejects(add(market, 'third', KEYS[market].second), /Another account of ours/)
    await setBalance(market, 'main', '0')
    const supply = await stock(control, market)
    const bought = await Promise.all(
      Array.from({ length: 6 }, () => buyNext(merchant, { market, supply })),
    )
    for (const { receipt } of bought) {
      const trade = await untilEnded(merchant, receipt.id)
      assert.equal(trade.status, 'completed')
      const order = await orderOf(market, onlyItem(trade).id)
      assert.equal(order.account, KEYS[market].second)
    }

    // A lost answer stays with its account: with another key its market knows no such order.
    await control.script(market, 'lost_reply_placed')
    const lost = await buyNext(merchant, { market, supply })
    await setBalance(market, 'main', '1000')
    const found = await untilEnded(merchant, lost.receipt.id)
    assert.equal(found.status, 'completed')
    assert.equal((await orderOf(market, onlyItem(found).id)).account, KEYS[market].second)
  })

  it(`an account at ${market} that is drained buys nothing more, and its orders come to their ends`, async () => {
    const { merchant, control } = stack
    const supply = await stock(control, market)
    await setBalance(market, 'main', '0')
    const before = await buyNext(merchant, { market, supply, token: 'expire00' })
    const pending = await untilStatus(merchant, before.receipt.id, ['pending', 'active'])
    const order = await orderOf(market, onlyItem(pending).id)
    assert.equal(order.account, KEYS[market].second)
    await assert.rejects(rotate(market, 'third'), /does not know the open order/)
    await account('drain', market, 'second')
    await setBalance(market, 'main', '1000')
    const next = await buyNext(merchant, { market, supply })
    const trade = await untilEnded(merchant, next.receipt.id)
    assert.equal(trade.status, 'completed')
    assert.equal((await orderOf(market, onlyItem(trade).id)).account, KEYS[market].main)
    const ended = await untilEnded(merchant, before.receipt.id)
    assert.notEqual(ended.status, 'completed')
    await account('enable', market, 'second')
    await untilUsed(market, 'second')
  })

  it(`an account at ${market} orders with its new key once that was rotated`, async () => {
    const { merchant, control } = stack
    const supply = await stock(control, market)
    await setBalance(market, 'main', '0')
    await rotate(market, 'third')
    const bought = await buyNext(merchant, { market, supply })
    const trade = await untilEnded(merchant, bought.receipt.id)
    assert.equal(trade.status, 'completed')
    assert.equal((await orderOf(market, onlyItem(trade).id)).account, KEYS[market].third)
    await setBalance(market, 'main', '1000')
  })
}

const PRICE = sql(
  'test_listed_price',
  'select price_mills mills from catalog.listing where market = $1 and raw_id = $2',
)

it('a refused key of main closes its account alone, and the news of its market come by another one', async () => {
  const { merchant, control, database } = stack
  const market = 'market_a'
  const supply = await stock(control, market)
  await control.setMarket(market, { account: KEYS[market].main, forbidden: true })
  await until('main is closed', async () => {
    const [row] = await database.db.query<{ because: string | null }>(CLOSED, [market])
    return row?.because === 'forbidden'
  })
  const bought = await buyNext(merchant, { market, supply })
  const trade = await untilEnded(merchant, bought.receipt.id)
  assert.equal((await orderOf(market, onlyItem(trade).id)).account, KEYS[market].third)
  const listing = supply.take()
  await control.setPrice(market, listing.id, '26.123')
  await until('its new price is known', async () => {
    const [row] = await database.db.query<{ mills: bigint }>(PRICE, [market, listing.id])
    return row?.mills === 26_123n
  })
  await control.setMarket(market, { forbidden: false })
  await untilUsed(market, 'main')
})
const CLOSED = sql(
  'test_closed_because',
  `select closed_because because from buying.market_account where market = $1 and name = 'main'`,
)

it('the key of main is rotated as others are, and a restart with the setting of before does not go back to it', async () => {
  const { merchant, control } = stack
  for (const market of ['market_a', 'market_b'] as const) {
    await account('drain', market, 'second')
    await until(`no order of main is open at ${market}`, async () => {
      const said = await rotate(market, 'fourth', 'main').catch(({ message }: Error) => message)
      return /has another key/.test(said)
    })
    await assert.rejects(rotate(market, 'fourth', 'main'), /Another account of ours/)
  }
  await stack.restart()
  assert.match(stack.server().said(), /market_key_not_used/)
  for (const market of ['market_a', 'market_b'] as const) {
    const supply = await stock(control, market)
    await untilUsed(market, 'main')
    const bought = await buyNext(merchant, { market, supply })
    const trade = await untilEnded(merchant, bought.receipt.id)
    assert.equal((await orderOf(market, onlyItem(trade).id)).account, KEYS[market].fourth)
  }
})

it('an account has a pace of its own, within what its market allows', async () => {
  const { database } = stack
  await assert.rejects(account('set', 'market_a', 'second', '--pace', '199'), /200 to 60000/)
  await assert.rejects(account('set', 'market_b', 'second', '--pace', '61'), /3 to 60 calls/)
  await account('set', 'market_a', 'second', '--pace', '400')
  const said = await stack.ops('market:account', 'list', '--json')
  const rows = JSON.parse(said) as { market: string; account: string; pace: number | null }[]
  const ours = rows.filter(({ market }) => market === 'market_a')
  assert.deepEqual(
    ours.map((one) => [one.account, one.pace]),
    [
      ['main', null],
      ['second', 400],
    ],
  )
  await account('set', 'market_a', 'second', '--pace', 'default')
  assert.equal((await database.db.query(PACED)).length, 0)
})
const PACED = sql('test_paced', 'select from buying.market_account where pace is not null')

it('the key of an account is in no answer, no log and no audit entry', async () => {
  const said = [
    await stack.ops('market:account', 'list'),
    await stack.ops('audit-log', '--json'),
    stack.server().said(),
  ].join('\n')
  for (const keys of Object.values(KEYS)) {
    for (const key of [keys.second, keys.third, keys.fourth])
      assert.ok(!said.includes(key), 'a key was shown')
  }
  assert.match(said, /market_account\.add/)
})
