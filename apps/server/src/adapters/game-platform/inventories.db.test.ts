// How often the platform is asked for an inventory, as a server sees it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { createReserveSlot } from '#infra/database/call-slots'
import { createHttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { newId } from '#kernel/id'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import { createBudget, type Spend } from './budget.ts'
import { CALL_KINDS, type CallKinds, readCallKinds } from './call-kinds.ts'
import { createInventories, type InventoriesOptions } from './inventories.ts'
import { givenPlatformCalls } from './testing/platform-calls.ts'

const KEPT_MS = 60_000
const USER = '76561198000000002'
const DESCRIPTION = { classid: '5', instanceid: '0', market_hash_name: 'A', name: 'A', tradable: 1 }

/** Pages of each inventory here; a page has a thousand items. */
let pages = 1
let status = 200
/** When each page was asked for. */
let askedAtMs: number[] = []
const server = createServer(({ url = '' }, reply) => {
  askedAtMs.push(performance.now())
  const after = Number(new URL(url, 'http://x').searchParams.get('start_assetid') ?? 0)
  const assets = Array.from({ length: 1000 }, (_, i) => ({
    ...{ classid: '5', instanceid: '0', assetid: String(after + i + 1) },
  }))
  const hasMore = after + 1000 < pages * 1000
  reply.writeHead(status).end(
    JSON.stringify({
      ...{ assets, descriptions: [DESCRIPTION], total_inventory_count: pages * 1000, success: 1 },
      ...(hasMore && { more_items: 1, last_assetid: String(after + 1000) }),
    }),
  )
})
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
let database: TestDatabase
before(async () => {
  database = await testDatabase()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  await http.close()
  server.closeAllConnections()
  server.close()
  await database.close()
})
beforeEach(() => {
  pages = 1
  status = 200
  askedAtMs = []
})

function givenInventories(
  { spend = async () => 0, ...options }: Partial<InventoriesOptions> & { spend?: Spend } = {},
  kinds = CALL_KINDS as CallKinds,
) {
  const clock = manualClock()
  const communityUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const inventories = createInventories({
    ...{ communityUrl, clock, log: silentLog, gameBook: emptyGameBook },
    platformCalls: givenPlatformCalls(http, communityUrl, { spend, kinds }),
    ...{ keptMs: KEPT_MS, deadlineMs: 10_000 },
    ...options,
  })
  const read = async (platformId = USER, tenantId = 'one', notBefore: Date | null = null) =>
    (await inventories.read(platformId, { requestId: 'r', tenantId, notBefore })).kind
  return { clock, read }
}

test('a repeat within 60 s is answered from the last read, of each tenant apart', async () => {
  const { clock, read } = givenInventories()
  pages = 4
  assert.deepEqual(await Promise.all([read(), read()]), ['ok', 'ok'])
  clock.advance(KEPT_MS - 1)
  await read()
  assert.equal(askedAtMs.length, 4)
  await read(USER, 'another')
  assert.equal(askedAtMs.length, 8)
  clock.advance(1)
  await read()
  assert.equal(askedAtMs.length, 12)
})

test('what was read before a trade of the account moved is not answered again', async () => {
  const { clock, read } = givenInventories()
  await read()
  clock.advance(1000)
  const moved = clock.now()
  await read(USER, 'one', new Date(moved.getTime() - 2000))
  assert.equal(askedAtMs.length, 1)
  clock.advance(1)
  await read(USER, 'one', moved)
  await read(USER, 'one', moved)
  assert.equal(askedAtMs.length, 2)
})

test('a read that failed is not answered again', async () => {
  const { read } = givenInventories()
  status = 502
  assert.equal(await read(), 'unavailable')
  const broken = givenInventories({ spend: () => Promise.reject(new Error('no database')) })
  await assert.rejects(broken.read())
  status = 200
  assert.equal(await read(), 'ok')
  await assert.rejects(broken.read())
})

test('fifty thousand items are kept in all, those that were asked for last', async () => {
  const { read } = givenInventories()
  pages = 12
  const users = [1, 2, 3, 4, 5].map((n) => `7656119800000001${n}`)
  for (const user of users) await read(user)
  const asked = askedAtMs.length
  await read(users[4])
  await read(users[1])
  assert.equal(askedAtMs.length, asked)
  await read(users[0])
  assert.equal(askedAtMs.length, asked + 12)
})

test('pages of one read leave one spacing apart, and go on beyond the tenant’s share', async () => {
  const spacingMs = 100
  const reserveSlot = createReserveSlot({ db: database.db, clock: systemClock })
  const { read } = givenInventories(
    { clock: systemClock, spend: createBudget(reserveSlot) },
    readCallKinds(JSON.stringify({ inventory: { paceMs: spacingMs } })),
  )
  pages = 12
  assert.equal(await read(USER, newId()), 'ok')
  assert.equal(askedAtMs.length, 12)
  const gaps = askedAtMs.slice(1).map((at, i) => at - (askedAtMs[i] ?? 0))
  // The clock of the slots counts whole milliseconds, and a timer may be one early.
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  assert.ok(mean >= spacingMs - 5, `${gaps}`)
})
