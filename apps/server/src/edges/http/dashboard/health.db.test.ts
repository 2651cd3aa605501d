// What administrators read of the health of the service, beside its markets.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TOTP } from 'otpauth'
import { noteReading } from '#buying'
import type { AccountReading } from '#catalog'
import { writeTradeUrlSource } from '#identity'
import { sql } from '#infra/database/db'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { mills } from '#kernel/money'
import { createRests } from '../../../adapters/game-platform/rests.ts'
import { startDashboardServer } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()
const { db } = database

it('health says who is asked about trade URLs, and which kinds of calls the platform refuses', async () => {
  const admin = await server.loggedIn('administrator')
  const health = async () => (await admin.call('GET', 'admin/health')).data
  const before = await health()
  assert.deepEqual([before.tradeUrls, before.platformRefuses], ['unknown', []])

  await writeTradeUrlSource(db, 'market_b')
  const rests = createRests({
    ...{ db, clock: server.clock, log: silentLog, metrics: createMetrics(), restMs: 60_000 },
    countBots: async () => 3,
  })
  await rests.refused('send', '76561198000000001')
  await rests.refused('inventory', null)
  const since = server.clock.now().toISOString()
  const after = await health()
  assert.equal(after.tradeUrls, 'market_b')
  // One bot that rests is no refusal of the kind.
  assert.deepEqual(after.platformRefuses, [{ kind: 'inventory', since }])
})

it('an administrator reads the figures of all accounts, of finished days beside those before', async () => {
  const kept = sql(
    'test.kept_service_figure',
    `insert into operations.service_figure (unit, at, figure, label, count, usd_cents)
     select 'day', date_trunc('day', $1::timestamptz, 'UTC') - f.days * interval '1 day', f.figure, f.label, f.count, f.cents
     from (values (1, 'volume', '', 3, 10000), (2, 'volume', '', 1, 50), (1, 'fees', '', 3, 300),
       (1, 'penalties', '', 1, 21), (9, 'volume', '', 1, 7), (0, 'volume', '', 9, 9999),
       (1, 'delivery', '20', 4, 0)) f (days, figure, label, count, cents)`,
  )
  await db.query(kept, [server.clock.now()])
  const admin = await server.loggedIn('administrator')
  const { data } = await admin.call('GET', 'admin/figures?span=week')
  const { unit, current, previous, buckets } = data
  assert.deepEqual(
    [unit, current.volume, current.income, previous.volume],
    ['day', 100.5, 3.21, 0.07],
  )
  assert.deepEqual(current.delivery, { count: 4, p50Seconds: 78, p95Seconds: 78 })
  assert.deepEqual(current.offer, { count: 0, p50Seconds: null, p95Seconds: null })
  assert.deepEqual(
    buckets.map(({ volume }: { volume: number }) => volume),
    [0, 0, 0, 0, 0, 0.5, 100],
  )
  const merchant = await server.loggedIn()
  for (const path of ['admin/figures', 'partner/figures']) {
    assert.equal((await merchant.call('GET', path)).key, 'FORBIDDEN')
  }
})

it('an administrator sees on the overview which token refuses the hot wallet, and how many payments wait', async () => {
  const frozen = sql(
    'test_frozen_wallet',
    `insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, token_address, recipient, units,
       hold_reason, due_at, created_at)
     select uuidv7(), 'bsc', 'hot', 'payout', uuidv7(), 'USDC', '0x' || repeat('3', 40), '0x' || repeat('4', 40),
       7000000, 'wallet_frozen', $1, $1 from generate_series(1, 2)`,
  )
  await database.db.query(frozen, [server.clock.now()])
  const admin = await server.loggedIn('administrator')
  const { frozenWallets } = (await admin.call('GET', 'admin/health')).data
  assert.deepEqual(frozenWallets, [{ chain: 'bsc', token: 'USDC', payments: 2 }])
})

it('health names our accounts at the markets, what closes them and what waits', async () => {
  const admin = await server.loggedIn('administrator')
  const accounts = async () => (await admin.call('GET', 'admin/health')).data.supplierAccounts
  const open = { closedBecause: null, closedAt: null, balanceUsd: null, coverDays: null }
  const idle = { account: 'main', ...open, waiting: 0, waitingUsd: 0 }
  assert.deepEqual(await accounts(), [
    { market: 'market_a', ...idle },
    { market: 'market_b', ...idle },
  ])
  const at = server.clock.now()
  const note = (said: AccountReading['said']) =>
    noteReading(
      db,
      { market: 'market_b', account: 'main' },
      { reading: { askedAt: server.clock.now(), said }, at },
    )
  await note({ kind: 'served', balanceMills: mills(12_340n), currency: 'USD' })
  await note({ kind: 'refused', because: 'forbidden', detail: 'wrong api key' })
  assert.deepEqual((await accounts())[1], {
    ...{ market: 'market_b', ...idle, balanceUsd: 12.34 },
    ...{ closedBecause: 'forbidden', closedAt: at.toISOString() },
  })
})

it('health names the processes that do not beat, the gates that are closed, and how the process that answers does', async () => {
  const admin = await server.loggedIn('administrator')
  const health = async () => (await admin.call('GET', 'admin/health')).data
  const before = await health()
  assert.deepEqual([before.silentProcesses, before.closedGates], [[], []])
  assert.ok(before.process.requests >= 1)
  assert.equal(before.process.failed, 0)
  assert.equal(before.process.historyChangedAt, null)

  const beat = sql(
    'test_beat',
    `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ('api', $1, $2, $2)`,
  )
  const at = server.clock.now()
  const ago = (seconds: number): Date => new Date(at.getTime() - seconds * 1000)
  await db.query(beat, ['killed', ago(31)])
  await db.query(beat, ['living', ago(5)])
  const gate = sql(
    'test_gate',
    `insert into reconciliation.placing_gate (market, history, closed_at, item_ids) values ($1, '7/1', $2, '{}')`,
  )
  await db.query(gate, ['bots', null])
  await db.query(gate, ['payments', ago(60)])
  const after = await health()
  assert.deepEqual(after.silentProcesses, [
    { processId: 'killed', lastBeatAt: ago(31).toISOString() },
  ])
  assert.deepEqual(after.closedGates, [{ gate: 'payments', since: ago(60).toISOString() }])
})

/** What the server answers a browser with this cookie that asks for a runbook. */
async function statusOfRunbook(url: string, cookie: string | null): Promise<number> {
  const headers = { accept: 'text/html', ...(cookie !== null && { cookie }) }
  return (await fetch(`${url}/docs/runbooks/reconciliation-case`, { headers })).status
}

it('runbooks are shown to an administrator, and are not there for anyone else', async () => {
  const owner = await server.loggedIn('owner')
  const admin = await server.loggedIn('administrator')
  const cookies = [null, `tp_session=${'x'.repeat(43)}`, owner.cookie, admin.cookie]
  const statuses = await Promise.all(cookies.map((cookie) => statusOfRunbook(server.url, cookie)))
  assert.deepEqual(statuses, [404, 404, 404, 200])
})

it('runbooks are not there for an administrator without a second factor, but in the sandbox', async () => {
  const production = await startDashboardServer(db, { isDemo: false })
  try {
    const { email } = await production.person('administrator')
    const admin = production.browser()
    assert.equal((await admin.logIn(email)).status, 200)
    const status = () => statusOfRunbook(production.url, admin.cookie)
    assert.equal(await status(), 404)
    const { secret } = (await admin.call('POST', 'two-factor/totp')).data
    const timestamp = production.clock.now().getTime()
    const code = new TOTP({ secret }).generate({ timestamp })
    assert.equal((await admin.call('POST', 'two-factor/totp/enable', { code })).status, 200)
    assert.equal(await status(), 200)
  } finally {
    await production.close()
  }
})
