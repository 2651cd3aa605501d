// What administrators read of the health of the service, beside its markets.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { noteReading } from '#buying'
import type { AccountReading } from '#catalog'
import { writeTradeUrlSource } from '#identity'
import { sql } from '#infra/database/db'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { mills } from '#kernel/money'
import { createRests } from '../../../adapters/game-platform/rests.ts'
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

it('an administrator sees on the page of health which token refuses the hot wallet, and how many payments wait', async () => {
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
