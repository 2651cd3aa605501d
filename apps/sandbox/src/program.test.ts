import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { botOf } from './testing/bot.ts'
import { buyParams, type Json, KEY_A, KEY_B, queryOf } from './testing/harness.ts'
import { failProgram, type Program, startProgram } from './testing/process.ts'
import { type SmtpAddress, sendMail } from './testing/smtp-client.ts'

const NO_LIMITS = {
  SANDBOX_MARKET_A_CALLS_PER_SECOND: '0',
  SANDBOX_MARKET_B_CALLS_PER_MINUTE: '0',
  SANDBOX_PLATFORM_HEADERS: 'off',
}
const QUIET = { SANDBOX_CHANGES_PER_SECOND: '0' }

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

async function json(url: string, init: RequestInit = {}): Promise<Json> {
  return (await (await fetch(url, init)).json()) as Json
}

async function cheapest({ url }: Program): Promise<Json> {
  return (await json(`${url}/control/markets/market_a/listings?limit=1&q=ak-47`)).items[0]
}

function buy({ url }: Program, listing: Json, customId: string, token = 'accept00'): Promise<Json> {
  const params = queryOf({ key: KEY_A, ...buyParams(listing, { customId, token }) })
  return json(`${url}/market-a/api/v2/buy-for?${params}`)
}

/** Buys the cheapest of the moment; the next when the moving market has taken it or made it dearer. */
async function buyCheapest(program: Program, customId: string, token?: string): Promise<Json> {
  for (;;) {
    const listing = await cheapest(program)
    const answer = await buy(program, listing, customId, token)
    if (answer.success === true) return listing
    const now = await json(`${program.url}/control/markets/market_a/listings/${listing.id}`)
    assert.notEqual(now.priceMills, listing.priceMills, JSON.stringify(answer))
  }
}

const stateOf = ({ url }: Program): Promise<Json> => json(`${url}/control/state`)

/** Polls until the program shows it; a deadline, for a process outside cannot be stepped. */
async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 30_000
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, `${what} did not come true in time`)
  }
}

test('the program trades by itself and ends with 0 on SIGTERM', async (t) => {
  const program = await startProgram(t, { ...NO_LIMITS, HOLD_SECONDS: '1' })
  await buyCheapest(program, 'order-1')
  await eventually('the release', async () => {
    const { markets } = await stateOf(program)
    return markets.market_a.orders.released === 1
  })
  assert.equal(await program.stop('SIGTERM'), 0)
})

test('the dataset changes at the rate of the setting', async (t) => {
  const program = await startProgram(t, { SANDBOX_CHANGES_PER_SECOND: '500' })
  const before = (await stateOf(program)).markets
  await eventually('new listings', async () => {
    const { markets } = await stateOf(program)
    return markets.market_a.listings > before.market_a.listings
  })
})

test('SIGTERM waits for a slow response', async (t) => {
  const program = await startProgram(t, { ...NO_LIMITS, ...QUIET })
  await json(`${program.url}/control/markets/market_a/script`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ next: ['slow:60000'] }),
  })
  const answer = buy(program, await cheapest(program), 'order-1')
  await eventually('the placement', async () => {
    const { markets } = await stateOf(program)
    return markets.market_a.orders.placed === 1
  })
  assert.equal(await program.stop('SIGTERM'), 0)
  assert.equal((await answer).success, true)
})

test('the state survives SIGTERM and another start', async (t) => {
  const SANDBOX_DATA_DIR = await folder(t)
  const first = await startProgram(t, {
    ...NO_LIMITS,
    SANDBOX_DATA_DIR,
    SANDBOX_CHANGES_PER_SECOND: '200',
  })
  const listing = await buyCheapest(first, 'order-1', 'manual00')
  await eventually(
    'the offer',
    async () => (await stateOf(first)).markets.market_a.orders.offered === 1,
  )
  await json(`${first.url}/control/markets/market_b/script`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ next: ['http_500'] }),
  })
  await json(`${first.url}/control/markets/market_b`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ online: false, balance: '77' }),
  })
  await sendMail((await json(`${first.url}/control/mail/server`)) as SmtpAddress, 'kept')
  const { cookie } = await botOf(first)
  await fetch(`${first.url}/platform/tradeoffer/new/?partner=9&token=privat00`, {
    headers: { cookie },
  })
  assert.equal(await first.stop('SIGTERM'), 0)

  const second = await startProgram(t, { ...NO_LIMITS, ...QUIET, SANDBOX_DATA_DIR })
  const state = await stateOf(second)
  assert.deepEqual(state.markets.market_a.orders, { offered: 1 })
  assert.deepEqual(state.markets.market_b.script, ['http_500'])
  assert.equal(state.markets.market_b.online, false)
  assert.equal(state.markets.market_b.accounts[0].balance, '77.000')
  assert.equal(
    state.markets.market_a.accounts[0].balance,
    `${(1_000_000 - listing.priceMills / 1000).toFixed(3)}`,
  )
  assert.equal((await json(`${second.url}/control/mail`)).items[0].body.subject, 'kept')
  const inventory = await fetch(`${second.url}/platform/inventory/76561197960265737/730/2`)
  assert.equal(inventory.status, 403)
  const gone = await fetch(`${second.url}/control/markets/market_a/listings/${listing.id}`)
  assert.equal(gone.status, 404)

  const { items } = await json(`${second.url}/control/offers`)
  const accepted = await json(`${second.url}/control/offers/${items[0].offerId}/accept`, {
    method: 'POST',
  })
  assert.equal(accepted.state, 'accepted')
})

test('kill -9 loses nothing acknowledged, and sold listings do not return', async (t) => {
  const SANDBOX_DATA_DIR = await folder(t)
  const environment = {
    ...NO_LIMITS,
    SANDBOX_DATA_DIR,
    SANDBOX_CHANGES_PER_SECOND: '500',
    HOLD_SECONDS: '600',
  }
  const bought: { customId: string; listingId: string }[] = []
  for (let round = 0; round < 3; round += 1) {
    const program = await startProgram(t, environment)
    for (let count = 0; count < 5; count += 1) {
      const customId = `order-${round}-${count}`
      bought.push({ customId, listingId: (await buyCheapest(program, customId)).id })
    }
    const before = await listingsOf(program)
    await program.stop('SIGKILL')

    const again = await startProgram(t, { ...environment, ...QUIET })
    const query = queryOf({ key: KEY_A, 'custom_id[]': bought.map(({ customId }) => customId) })
    const { data } = await json(
      `${again.url}/market-a/api/v2/get-list-buy-info-by-custom-id?${query}`,
    )
    assert.equal(Object.keys(data).length, bought.length)
    const after = await listingsOf(again)
    for (const { listingId } of bought) assert.equal(after.has(listingId), false)
    for (const [id, name] of before) {
      if (after.has(id)) assert.equal(after.get(id), name, 'an id names another item now')
    }
    assert.ok([...before.keys()].every((id) => after.has(id)))
    await again.stop('SIGKILL')
  }
})

async function listingsOf({ url }: Program): Promise<Map<string, string>> {
  const { items } = await json(`${url}/control/markets/market_a/listings?limit=1000`)
  return new Map(items.map((item: Json) => [item.id, item.marketHashName]))
}

test('the real program serves fifty thousand listings over both markets and trades on each', async (t) => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const SANDBOX_DATA_DIR = await folder(t)
  const environment = { ...NO_LIMITS, ...QUIET, SANDBOX_DATA_DIR, SANDBOX_LISTINGS: '55000' }
  const program = await startProgram(t, environment, main)
  const { markets } = await stateOf(program)
  assert.ok(markets.market_a.listings + markets.market_b.listings >= 50_000)

  const rifle = await cheapest(program)
  assert.equal((await buy(program, rifle, 'order-a')).success, true)
  const knives = await json(
    `${program.url}/control/markets/market_b/listings?limit=1&q=doppler+ruby`,
  )
  const paramsB = queryOf({ api: KEY_B, ...buyParams(knives.items[0], { customId: 'order-b' }) })
  assert.equal((await json(`${program.url}/market-b/v1/buy-one-p2p?${paramsB}`)).success, true)
  await program.stop('SIGKILL')

  const again = await startProgram(t, environment, main)
  const orders = await json(
    `${again.url}/market-b/v1/check-many-project-id?api=${KEY_B}&id=order-b`,
  )
  assert.match(orders.trades[0].name, /Doppler Ruby/)
  const after = (await stateOf(again)).markets
  assert.equal(after.market_a.listings, markets.market_a.listings - 1)
  assert.equal(after.market_b.listings, markets.market_b.listings - 1)
  const feed = await json(`${again.url}/catalog/cs2/items.json`)
  assert.ok(feed.items.length > 20_000)
})

test('a busy port is reported in one sentence with exit code 1', async (t) => {
  const program = await startProgram(t, QUIET)
  const { port } = new URL(program.url)
  const { code, said } = await failProgram({ SANDBOX_PORT: port })
  assert.equal(code, 1)
  assert.equal(said, `Port ${port} on 127.0.0.1 is in use: choose another SANDBOX_PORT.\n`)
})

test('an invalid setting is reported in one sentence with exit code 1', async () => {
  const { code, said } = await failProgram({ HOLD_SECONDS: 'soon' })
  assert.equal(code, 1)
  assert.match(said, /^HOLD_SECONDS must be .*\.\n$/)
})

test('bots keep their secrets over kill -9, and a folder of the first version is migrated', async (t) => {
  const SANDBOX_DATA_DIR = await folder(t)
  const environment = { ...QUIET, SANDBOX_DATA_DIR }
  const first = await startProgram(t, environment)
  const secretsOf = (program: Program): Promise<unknown> =>
    json(`${program.url}/control/platform/bots`)
  const secrets = await secretsOf(first)
  await buyCheapest(first, 'order-1')
  await first.stop('SIGKILL')

  downgradeToVersion1(SANDBOX_DATA_DIR)
  const again = await startProgram(t, environment)
  assert.deepEqual(await secretsOf(again), secrets)
  const offers = await json(`${again.url}/control/offers`)
  assert.equal(offers.items.filter(({ botId }: Json) => botId !== undefined).length, 0)
  const { items } = await json(`${again.url}/control/orders`)
  assert.deepEqual(
    items.map(({ customId }: Json) => customId),
    ['order-1'],
  )
})

/** The data folder as the first version wrote it, with the same orders. */
function downgradeToVersion1(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'sandbox.db'))
  database.exec(`
    create table customer_order (seq integer primary key, placement text not null, progress text not null) strict;
    insert into customer_order
      select p.key, p.row, q.row from order_placement p join order_progress q on q.key = p.key;
    create table world_step (seq integer primary key autoincrement, step text not null) strict;
    insert into world_step select key, row from dataset_step;
    drop table order_placement; drop table order_progress; drop table dataset_step; drop table bot_offer;
    alter table persona rename column key to partner;
    alter table persona rename column row to token;
    alter table mail rename column key to seq;
    alter table mail rename column row to mail;
    update setting set name = 'world' where name = 'dataset';
    pragma user_version = 1`)
  database.close()
}

test('a data folder in use, of another dataset or of another version is refused', async (t) => {
  const SANDBOX_DATA_DIR = await folder(t)
  const program = await startProgram(t, { ...QUIET, SANDBOX_DATA_DIR })
  const used = await failProgram({ SANDBOX_DATA_DIR })
  assert.equal(used.code, 1)
  assert.match(used.said, /^Another sandbox is using the data folder .*\.\n$/)
  await program.stop('SIGTERM')

  const other = await failProgram({ SANDBOX_DATA_DIR, SANDBOX_SEED: '2' })
  assert.equal(other.code, 1)
  assert.match(other.said, /^The sandbox's data folder holds the dataset of SANDBOX_SEED=1 .*\.\n$/)

  const database = new DatabaseSync(join(SANDBOX_DATA_DIR, 'sandbox.db'))
  database.exec('pragma user_version = 99')
  database.close()
  const newer = await failProgram({ SANDBOX_DATA_DIR })
  assert.equal(newer.code, 1)
  assert.match(
    newer.said,
    /^The sandbox's data folder was written by another version \(99, .*\.\n$/,
  )
})
