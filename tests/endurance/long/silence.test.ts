// The way to the database goes silent: nothing is closed, nothing passes, and new connections work. Then it
// leads to a database that takes no writes. No process is restarted, and buyers get an answer to every
// request.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Trade } from '@tradepost/contract'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { API_HEART } from '../../../apps/server/src/infra/jobs/heartbeats.ts'
import { openWire, type Wire } from '../../../apps/server/src/infra/testing/wire.ts'
import { givenOnce } from '../../support/given-once.ts'
import { auditBooks } from '../../support/stack.ts'
import { until } from '../../support/until.ts'
import { answerOpenRequests, startBuyers } from '../actors/buyers.ts'
import { type Traffic, untilAcknowledged } from '../actors/traffic.ts'
import { diceOf } from '../dice.ts'
import { agreeOnBuys, untilTradesEnded } from '../judge/requests.ts'
import { type Installation, startOnSharedPostgres } from '../worlds/installation.ts'

/** Within it every request has an answer: the limit of a statement (15 s), its grace and a margin. */
const ANSWER_MS = 20_000
/**
 * From the silence on, until api and workers are well: a quarter of it on a machine that does nothing else.
 */
const WELL_MS = 120_000

let installation: Installation
let wire: Wire
let traffic: Traffic
let pids: readonly number[]
let trades: Trade[]

const pidsNow = (): number[] => [...installation.apis.pids(), ...installation.workers.pids()]

givenOnce(
  async () => {
    installation = await startOnSharedPostgres({
      ofEach: 1,
      through: async (databaseUrl) => {
        wire = await openWire(databaseUrl)
        return wire.url
      },
    })
    pids = pidsNow()
    traffic = await startBuyers(installation, {
      throwDice: diceOf(1),
      latencyMs: 80,
      deadlineMs: ANSWER_MS,
    })
    try {
      await untilAcknowledged(traffic, 10)
      wire.silence()
      await untilWell()
      await untilAcknowledged(traffic, 10)
      await leadToReadOnlyDatabase()
      await untilWell()
      await untilAcknowledged(traffic, 10)
    } finally {
      await traffic.stop()
    }
    await answerOpenRequests(installation, traffic)
    trades = await untilTradesEnded(installation.merchant)
  },
  async () => {
    await installation?.close()
    await wire?.close()
  },
)

/** Every api is ready, which needs heartbeats of the workers; those of before the silence are too old. */
async function untilWell(): Promise<void> {
  const since = new Date()
  await until(
    'api and workers are well',
    async () => {
      const isReady = await Promise.all(
        installation.apis.baseUrls().map(async (url) => {
          const { ok } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
          return ok
        }),
      )
      const [row] = await installation.db.query<{ beating: number }>(BEATING, [since, API_HEART])
      return isReady.every((ready) => ready) && row?.beating === installation.workers.pids().length
    },
    { deadlineMs: WELL_MS },
  )
}

const BEATING = sql(
  'test_beating',
  'select count(distinct process_id)::int beating from infra.heartbeat where beat_at > $1 and job <> $2',
)

/** As behind an address that now leads to a standby; what is open is cut. */
async function leadToReadOnlyDatabase(): Promise<void> {
  const { db } = installation
  const name = new URL(wire.url).pathname.slice(1)
  const failed = traffic.unknown()
  await db.script(`alter database ${name} set default_transaction_read_only = on`)
  await wire.cut()
  await wire.restore()
  await until('buyers notice', () => traffic.unknown() > failed)
  await db.script(`alter database ${name} reset default_transaction_read_only`)
}

describe('when the way to the database went silent, and then led to one that takes no writes', () => {
  it('every request had an answer in its time, none of it outside of the envelope', (t) => {
    assert.equal(traffic.unanswered(), 0)
    t.diagnostic(
      `${traffic.requests.length} requests, ${traffic.unknown()} without a known outcome at first`,
    )
  })

  it('no process was restarted', () => assert.deepEqual(pidsNow(), pids))

  it('every acknowledged buy exists, and no request was done twice', () =>
    agreeOnBuys(trades, traffic))

  it('the books are clean', () => auditBooks(installation))
})
