import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createPartner, listMerchantsAfter } from '#identity'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { AT, aMerchant, aSubUser } from '../../accounts/identity/testing/accounts.ts'
import { announceNext } from './announce.ts'
import { judge, judgeSilence, SILENCE_REASON } from './judge.ts'
import type { Reading, Status } from './status.ts'
import { listPeriodsAfter, listSince, type MarketFigures } from './store.ts'

const SILENCE_MS = 60_000
const FIRST = '00000000-0000-0000-0000-000000000000'

let database: TestDatabase
let clock: ManualClock

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  for (const table of ['status.period', 'status.market_figures', 'outbox.event']) {
    await database.db.query(sql(`test.empty_${table}`, `delete from ${table}`))
  }
  await database.db.query(sql('test.unjudged', 'update status.judging set judged_at = null'))
})

const market = (status: Status | null, name = 'market_a'): Reading => ({
  ...{ component: 'market', name, status, reason: null },
})
const trading = (reason: string | null = null): Reading => ({
  ...{ component: 'trading', name: '', reason },
  status: reason === null ? 'operational' : 'paused',
})
const looks = (readings: readonly Reading[], figures: readonly MarketFigures[] = []) =>
  database.db.transaction((tx) =>
    judge(tx, { readings, figures, silenceMs: SILENCE_MS, at: clock.now() }),
  )
/** Looks every five seconds, for so long. */
async function looksFor(seconds: number, readings: readonly Reading[]): Promise<void> {
  for (let i = 0; i < seconds; i += 5) {
    clock.advance(5000)
    await looks(readings)
  }
}
const periods = async (): Promise<string[]> =>
  (await listSince(database.db, new Date(0)))
    .toReversed()
    .map(({ component, name, status, previous, fromAt, untilAt }) =>
      [
        `${component} ${name}`.trim(),
        `${previous ?? '-'} > ${status}`,
        `${fromAt.toISOString().slice(11, 19)}-${untilAt?.toISOString().slice(11, 19) ?? ''}`,
      ].join(' '),
    )

describe('a judgement', () => {
  it('begins a component as it is, which is no change', async () => {
    await looks([trading(), market('down')])
    assert.deepEqual((await periods()).toSorted(), [
      'market market_a - > down 12:00:00-',
      'trading - > operational 12:00:00-',
    ])
    assert.equal(await announceNext(database.db, clock.now()), null)
  })

  it('writes one row for a change, from when it was first seen', async () => {
    await looks([market('operational')])
    await looksFor(30, [market('down')])
    assert.deepEqual(await periods(), [
      'market market_a - > operational 12:00:00-12:00:05',
      'market market_a operational > down 12:00:05-',
    ])
  })

  it('of two workers at once is written once', async () => {
    await looks([trading(), market('operational')])
    clock.advance(5000)
    await Promise.all(
      Array.from({ length: 8 }, () => looks([trading('a test'), market('disabled')])),
    )
    assert.equal((await periods()).length, 4)
  })

  it('ends a component that is gone, and begins it again as a new one', async () => {
    await looks([market('operational'), market('operational', 'market_b')])
    clock.advance(5000)
    await looks([market('operational')])
    clock.advance(5000)
    await looks([market('operational'), market('down', 'market_b')])
    assert.deepEqual(
      (await periods()).filter((one) => one.includes('market_b')),
      ['market market_b - > operational 12:00:00-12:00:05', 'market market_b - > down 12:00:10-'],
    )
  })

  it('that comes late says that trading was paused meanwhile', async () => {
    await looks([trading(), market('operational')])
    clock.advance(600_000)
    await looks([trading(), market('operational')])
    assert.deepEqual(
      (await periods()).filter((one) => one.startsWith('trading')),
      [
        'trading - > operational 12:00:00-12:01:00',
        'trading operational > paused 12:01:00-12:10:00',
        'trading paused > operational 12:10:00-',
      ],
    )
    const written = await listPeriodsAfter(database.db, FIRST)
    const paused = written.find(({ status }) => status === 'paused')
    assert.equal(paused?.reason, SILENCE_REASON)
  })

  it('that comes late leaves a pause that a person has made', async () => {
    await looks([trading('maintenance')])
    clock.advance(600_000)
    await looks([trading('maintenance')])
    assert.deepEqual(await periods(), ['trading - > paused 12:00:00-'])
  })

  it('takes another reason of the same pause without a change', async () => {
    await looks([trading('maintenance')])
    await looks([trading('longer maintenance')])
    const [only, ...more] = await listSince(database.db, new Date(0))
    assert.deepEqual([only?.reason, more], ['longer maintenance', []])
  })

  it('forgets what ended a hundred days ago, and nothing that was not reported to all', async () => {
    await looks([trading()])
    clock.advance(5000)
    await looks([trading('a test')])
    clock.advance(101 * 86_400_000)
    await looks([trading('a test')])
    assert.deepEqual((await periods()).length, 1)
    clock.advance(5000)
    await looks([trading()])
    clock.advance(101 * 86_400_000)
    await looks([trading()])
    assert.ok((await periods()).length >= 2, 'the pause is not announced')
  })
})

describe('without a worker,', () => {
  const silent = () =>
    database.db.transaction((tx) => judgeSilence(tx, { silenceMs: SILENCE_MS, at: clock.now() }))
  const ofTrading = async (): Promise<string[]> =>
    (await periods()).filter((one) => one.startsWith('trading'))

  it('of several processes at once one writes that trading is paused since then, and a worker ends it', async () => {
    await looks([trading(), market('operational')])
    clock.advance(SILENCE_MS + 20_000)
    const written = await Promise.all(Array.from({ length: 8 }, silent))
    assert.deepEqual(
      written.flatMap((pause) => pause?.reason ?? []),
      [SILENCE_REASON],
    )
    const paused = 'trading operational > paused 12:01:00-'
    assert.deepEqual(await ofTrading(), ['trading - > operational 12:00:00-12:01:00', paused])
    clock.advance(20_000)
    assert.equal(await silent(), null)
    await looks([trading(), market('operational')])
    assert.deepEqual(await ofTrading(), [
      'trading - > operational 12:00:00-12:01:00',
      `${paused}12:01:40`,
      'trading paused > operational 12:01:40-',
    ])
  })

  it('nothing is written where one has looked lately, none ever has, or a person has paused trading', async () => {
    assert.equal(await silent(), null)
    await looks([trading()])
    clock.advance(SILENCE_MS - 1)
    assert.equal(await silent(), null)
    await looks([trading('maintenance')])
    clock.advance(SILENCE_MS)
    assert.equal(await silent(), null)
  })
})

describe('an announcement', () => {
  let merchants: string[]
  before(async () => {
    const { db } = database
    for (let i = 0; i < 5; i++) await aMerchant(db)
    merchants = await listMerchantsAfter(db, { after: null, limit: 100 })
    assert.equal(merchants.length, 5)
    // Those who are not notified: a partner has events of its own, a sub-user its merchant's sockets.
    await db.transaction((tx) =>
      createPartner(tx, {
        ...{ email: 'p@example.com', name: 'p', at: AT },
        fees: { feeBps: null, childDefaultFeeBps: null } as never,
      }),
    )
    await aSubUser(db, merchants[0] ?? '', { externalId: 'user-1' })
  })

  const EVENTS = sql(
    'test.status_events',
    `select tenant_id "tenantId", payload from outbox.event where type = 'service.status_changed' order by id`,
  )
  const events = () =>
    database.db.query<{ tenantId: string; payload: Record<string, unknown> }>(EVENTS)

  it('is an event of each merchant and of no other account, once, some at a time', async () => {
    await looks([trading()])
    clock.advance(5000)
    await looks([trading('maintenance')])
    const counts: (number | null)[] = []
    for (let i = 0; i < 4; i++) counts.push(await announceNext(database.db, clock.now(), 2))
    assert.deepEqual(counts, [2, 2, 1, null])
    const written = await events()
    assert.deepEqual(
      written.map(({ tenantId }) => tenantId),
      merchants,
    )
    const { noticeId, since, ...details } = written[0]?.payload ?? {}
    assert.deepEqual(details, {
      ...{ component: 'trading', name: '', status: 'paused', previous: 'operational' },
      reason: 'maintenance',
    })
    assert.equal(new Date(String(since)).toISOString(), '2026-11-21T12:00:05.000Z')
    assert.equal(new Set(written.map(({ payload }) => payload.noticeId)).size, merchants.length)
    assert.ok(noticeId)
  })

  it('goes on where a worker died, and reports changes in their order', async () => {
    await looks([trading()])
    clock.advance(5000)
    await looks([trading('maintenance')])
    await announceNext(database.db, clock.now(), 3)
    clock.advance(5000)
    await looks([trading()])
    while ((await announceNext(database.db, clock.now(), 3)) !== null);
    const said = Map.groupBy(await events(), ({ tenantId }) => tenantId)
    for (const id of merchants) {
      const statuses = said.get(id)?.map(({ payload }) => payload.status)
      assert.deepEqual(statuses, ['paused', 'operational'], id)
    }
  })

  it('of several workers at once notifies none twice', async () => {
    await looks([trading()])
    clock.advance(5000)
    await looks([trading('maintenance')])
    await Promise.all(Array.from({ length: 8 }, () => announceNext(database.db, clock.now(), 1)))
    while ((await announceNext(database.db, clock.now(), 1)) !== null);
    assert.deepEqual(
      (await events()).map(({ tenantId }) => tenantId),
      merchants,
    )
  })
})
