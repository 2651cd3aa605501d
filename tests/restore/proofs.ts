// What is waited for after a restore, and what must hold then.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { listUnmatched, type UnmatchedPurchase } from '../endurance/actors/after-restore.ts'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { MARKETS } from '../support/sandbox.ts'
import { ops, type Settings } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { LostTrades } from './trades.ts'

const CLOSED = sql(
  'drill.closed_gates',
  `select g.market from reconciliation.placing_gate g where g.closed_at is not null`,
)
const closedGates = async (db: Db): Promise<string[]> =>
  (await db.query<{ market: string }>(CLOSED)).map(({ market }) => market)

/** The workers have seen that the database is older than what was sent. */
export const untilAllAreClosed = (db: Db): Promise<unknown> =>
  until('every gate is closed', async () => (await closedGates(db)).length === MARKETS.length + 2)

export const untilMarketsOpen = (db: Db): Promise<unknown> =>
  until(
    'both markets are open',
    async () => {
      const closed = await closedGates(db)
      return !MARKETS.some((market) => closed.includes(market))
    },
    { deadlineMs: 120_000 },
  )

export const untilReady = ({ apis }: OwnInstallation): Promise<unknown> =>
  Promise.all(
    apis.baseUrls().map((baseUrl) =>
      until(
        `${baseUrl} is ready`,
        async () => {
          const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3000) })
          if (response.ok) return true
          throw new Error(await response.text())
        },
        { deadlineMs: 60_000 },
      ),
    ),
  )

/** At both markets; none of ours is there twice. */
export async function countOrders({ sandbox }: OwnInstallation): Promise<number> {
  const ids = (await sandbox.control.orders()).map(({ customId }) => customId)
  assert.equal(new Set(ids).size, ids.length, 'no order was placed twice')
  return ids.length
}

/** Waits until each lost order has a trade again, or a case that says whose it was; in words. */
export async function explainUnmatched(
  { db, settings }: { readonly db: Db; readonly settings: Settings },
  { buys, quickBuy }: LostTrades,
  { hasIntents }: { readonly hasIntents: boolean },
): Promise<string> {
  const isOpen = ({ state }: UnmatchedPurchase): boolean => state === 'open'
  const wanted = hasIntents ? 1 : buys.length + 1
  const open = await until(
    `${wanted} unmatched purchases are open`,
    async () => {
      const unmatched = (await listUnmatched(db)).filter(isOpen)
      if (unmatched.length === wanted) return unmatched
      throw new Error(JSON.stringify(unmatched))
    },
    { deadlineMs: 120_000, everyMs: 500 },
  )
  if (hasIntents) {
    assert.equal(open[0]?.externalId, quickBuy.externalId, 'a quick-buy is left to a person')
    assert.match(await ops(settings, 'restored', 'plan'), new RegExp(quickBuy.externalId))
  }
  const since = new Date(Date.now() - 3_600_000).toISOString()
  for (const market of MARKETS) {
    const which = ['--kind', 'orphan_purchase', '--market', market, '--since', since]
    await ops(settings, 'cases', 'resolve', ...which, '--reason', 'drill: settled by hand')
  }
  assert.equal((await listUnmatched(db)).filter(isOpen).length, 0)
  return hasIntents
    ? `${buys.length} buys adopted, 1 quick-buy named to a person`
    : `${buys.length + 1} orders without a name, resolved together`
}

const OPEN_CASES = sql(
  'drill.open_cases',
  `select kind, subject, facts from reconciliation.case_file where state = 'open' and cleared_at is null`,
)
export const listOpenCases = (db: Db): Promise<{ readonly kind: string }[]> =>
  db.query<{ readonly kind: string }>(OPEN_CASES)
