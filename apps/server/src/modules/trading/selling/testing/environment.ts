// The environment of a test of offers: a database, a clock and a platform, and sells to act on.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import { expediteHolds } from '#buying'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { readTrades, type Trade } from '#trades'
import { balanceOf } from '../../buying/testing/buyers.ts'
import { createSellFollowing, type SellFollowingDeps } from '../follow.ts'
import { createSellPlacing, type SellPlacingDeps } from '../place.ts'
import type { Seller } from '../sell.ts'
import { auditSells } from '../store/sells.ts'
import { type ScriptedPlatform, scriptedPlatform } from './platform.ts'
import { givenAssets, givenSeller, type SellerOptions, sellAssets, sellDeps } from './sellers.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const HOLD_MS = 7 * 24 * HOUR

export interface SellingEnvironment {
  readonly database: TestDatabase
  readonly clock: ManualClock
  readonly platform: ScriptedPlatform
  readonly cases: { what: string; details: Readonly<Record<string, unknown>> }[]
}

/** Opens an environment for the tests of one file; each test has a platform and a clock of its own. */
export function sellingEnvironment(): SellingEnvironment {
  const environment = { cases: [] } as unknown as {
    -readonly [Key in keyof SellingEnvironment]: SellingEnvironment[Key]
  }
  before(async () => {
    environment.database = await testDatabase()
  })
  after(() => environment.database.close())
  beforeEach(async () => {
    environment.clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
    environment.platform = scriptedPlatform()
    environment.cases = []
    await place(environment)
  })
  afterEach(async () => {
    assert.deepEqual(await auditSells(environment.database.db), [])
    // What this test left open is not picked up by the next one.
    for (const statement of PUT_ASIDE) await environment.database.db.query(statement)
  })
  return environment
}

const PUT_ASIDE = [
  sql(
    'test.put_sells_aside',
    `update selling.sell set due_at = 'infinity', created_at = 'infinity' where waiting`,
  ),
  sql(
    'test.put_offers_aside',
    `update selling.offer set due_at = 'infinity', bot_id = 'absent', platform_id = 'absent'`,
  ),
]

export const following = ({
  database,
  clock,
  platform,
  cases,
}: SellingEnvironment): SellFollowingDeps => ({
  db: database.db,
  clock,
  bots: platform,
  holdMs: HOLD_MS,
  leaseMs: 30 * SECOND,
  pollMs: SECOND,
  holdPollMs: 6 * HOUR,
  settleMs: 60 * SECOND,
  watchMs: 24 * HOUR,
  onCase: (what, details) => {
    cases.push({ what, details })
  },
  expediteBuyHolds: expediteHolds,
})
export const placing = ({
  database,
  clock,
  platform,
  cases,
}: SellingEnvironment): SellPlacingDeps => ({
  db: database.db,
  clock,
  bots: platform,
  offerMs: 30 * MINUTE,
  leaseMs: 30 * SECOND,
  pollMs: SECOND,
  giveUpMs: 15 * MINUTE,
  concurrency: 8,
  onCase: (what, details) => {
    cases.push({ what, details })
  },
})
export const place = (
  environment: SellingEnvironment,
  mayPlace: () => Promise<boolean> = async () => true,
) => createSellPlacing({ ...placing(environment), mayPlace })(new AbortController().signal)
export const follow = (environment: SellingEnvironment) =>
  createSellFollowing(following(environment))()

/** A sell at the quote that waits for a bot. */
export async function givenSell(
  { database: { db }, clock, platform }: SellingEnvironment,
  count = 1,
  options: SellerOptions & { seller?: Seller } = {},
) {
  const seller = options.seller ?? (await givenSeller(db, options))
  const assets = givenAssets(platform, seller, count)
  const receipt = await sellAssets(sellDeps(db, clock, platform), seller, assets)
  const trade = async (): Promise<Trade> => {
    const [found] = await readTrades(db, [receipt.tradeId])
    assert.ok(found)
    return found
  }
  return {
    seller,
    receipt,
    assets,
    asset: assets[0] as string,
    trade,
    status: async () => (await trade()).status,
    statuses: async () => (await trade()).items.map((item) => item.status),
    wallet: () => balanceOf(db, seller.accountId, 'spot'),
    earnings: () => balanceOf(db, seller.tenantId, 'earnings'),
    events: async () => {
      const rows = await db.query<{ type: string; payload: unknown }>(
        sql(
          'test.events',
          'select type, payload from outbox.event where subject_id = $1 order by id',
        ),
        [receipt.tradeId],
      )
      return rows.map((row) => row.type)
    },
  }
}
