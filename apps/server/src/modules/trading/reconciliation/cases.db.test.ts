import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { createReporter, type ReportCase } from './report.ts'
import { resolveCase } from './resolve.ts'
import {
  clearCases,
  countOpenCases,
  findCase,
  listCases,
  listCasesOfItems,
  listEntries,
} from './store/cases.ts'

let database: TestDatabase
let clock: ManualClock
let report: ReportCase
let opened: string[]

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  opened = []
  report = createReporter({
    db: database.db,
    clock,
    source: 'follower',
    onOpened: (kind) => opened.push(kind),
  })
})

/** The one case of an item. */
async function caseOf(itemId: string) {
  const found = await listCasesOfItems(database.db, [itemId])
  assert.equal(found.length, 1)
  return found[0] as (typeof found)[number]
}
const logOf = async (caseId: string) =>
  (await listEntries(database.db, caseId)).map(({ what }) => what)

describe('a contradiction that is seen', () => {
  it('again and again is one case, opened once', async () => {
    const itemId = newId()
    for (let sighting = 1; sighting <= 3; sighting++) {
      clock.advance(60_000)
      await report('missing', { itemId, market: 'market_a', orderId: '17' }, { misses: sighting })
    }
    const found = await caseOf(itemId)
    assert.deepEqual(
      [found.kind, found.subject, found.sightings, found.notes, found.state],
      ['missing', `item:${itemId}`, 3, { misses: 3 }, 'open'],
    )
    assert.equal(found.lastSeenAt.getTime() - found.firstSeenAt.getTime(), 120_000)
    assert.deepEqual(opened, ['missing'])
    assert.deepEqual(await logOf(found.id), ['opened'])
  })

  it('by twenty workers at the same moment is one case', async () => {
    const itemId = newId()
    await Promise.all(
      Array.from({ length: 20 }, () => report('orphan_purchase', { itemId, orderId: '18' })),
    )
    assert.equal((await caseOf(itemId)).sightings, 20)
    assert.deepEqual(opened, ['orphan_purchase'])
  })

  it('with other details stays the same case and says what changed', async () => {
    const itemId = newId()
    await report('price_differs', { itemId, paidMills: 1200n })
    await report('price_differs', { itemId, paidMills: 1300n })
    const found = await caseOf(itemId)
    assert.deepEqual(found.details, { itemId, paidMills: '1300' })
    assert.deepEqual(await logOf(found.id), ['opened', 'changed'])
  })

  it('of another kind, or of another subject, is another case', async () => {
    const itemId = newId()
    await report('missing', { itemId })
    await report('late_contradiction', { itemId })
    await report('missing', { market: 'market_a', orderId: '19' })
    await report('balance_differs', { market: 'market_a' })
    assert.equal((await listCasesOfItems(database.db, [itemId])).length, 2)
    const subjects = (await listCases(database.db, { state: 'open', kind: null, limit: 200 })).map(
      ({ subject }) => subject,
    )
    assert.ok(subjects.includes('order:market_a:19') && subjects.includes('market:market_a'))
  })

  it('about nothing at all is a mistake of ours', async () => {
    await assert.rejects(report('missing', {}), TypeError)
  })
})

describe('a case that stops being true', () => {
  const clear = (itemId: string, sources: readonly ('follower' | 'statement')[] = ['follower']) =>
    clearCases(database.db, {
      kinds: ['missing'],
      subjects: [`item:${itemId}`],
      sources,
      at: clock.now(),
    })

  it('is marked cleared, and stays open for a person', async () => {
    const itemId = newId()
    await report('missing', { itemId })
    assert.equal(await clear(itemId), 1)
    assert.equal(await clear(itemId), 0, 'only once')
    const found = await caseOf(itemId)
    assert.deepEqual([found.state, found.clearedAt], ['open', clock.now()])
    const counted = await countOpenCases(database.db)
    assert.ok(counted.some(({ kind, cleared }) => kind === 'missing' && cleared))
  })

  it('and returns is no longer cleared', async () => {
    const itemId = newId()
    await report('missing', { itemId })
    await clear(itemId)
    await report('missing', { itemId })
    const found = await caseOf(itemId)
    assert.equal(found.clearedAt, null)
    assert.deepEqual(await logOf(found.id), ['opened', 'cleared', 'returned'])
  })

  it('is not cleared by a reader who has not seen it', async () => {
    const itemId = newId()
    await report('missing', { itemId })
    assert.equal(await clear(itemId, ['statement']), 0)
  })
})

describe('resolving', () => {
  const resolve = (caseId: string, by = 'ada') =>
    resolveCase({ db: database.db, clock }, caseId, { by, reason: 'the supplier paid it back' })

  it('keeps who, when and why, and works once', async () => {
    const itemId = newId()
    await report('refund_not_received', { itemId })
    const { id } = await caseOf(itemId)
    assert.equal(await resolve(id), 'resolved')
    assert.deepEqual(await resolve(id, 'bob'), { alreadyBy: 'ada' })
    assert.equal(await resolve(newId()), 'not-found')
    const found = await findCase(database.db, id)
    assert.deepEqual(
      [found?.state, found?.resolvedBy, found?.resolution, found?.resolvedAt],
      ['resolved', 'ada', 'the supplier paid it back', clock.now()],
    )
    const entry = (await listEntries(database.db, id)).at(-1)
    assert.deepEqual([entry?.what, entry?.byWhom], ['resolved', 'ada'])
  })

  it('of two operators at once one resolves it', async () => {
    const itemId = newId()
    await report('missing', { itemId })
    const { id } = await caseOf(itemId)
    const results = await Promise.all([resolve(id, 'ada'), resolve(id, 'bob')])
    assert.equal(results.filter((result) => result === 'resolved').length, 1)
  })

  it('is not undone by the same details, and other details are a new case', async () => {
    const itemId = newId()
    await report('price_differs', { itemId, paidMills: 1200n })
    const { id } = await caseOf(itemId)
    await resolve(id)
    await report('price_differs', { itemId, paidMills: 1200n })
    assert.equal((await caseOf(itemId)).state, 'resolved')
    await report('price_differs', { itemId, paidMills: 1400n })
    const all = await listCasesOfItems(database.db, [itemId])
    assert.deepEqual(
      all.map(({ state }) => state),
      ['resolved', 'open'],
    )
    assert.deepEqual(opened, ['price_differs', 'price_differs'])
  })
})
