// Statements as a collector sees them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '#kernel/id'
import { sql } from '../database/db.ts'
import { type CollectedSpan, type Collector, startCollector } from '../testing/collector.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { createOtlpTracer } from './otlp.ts'
import { beginRequest, setTracer, traceIdOf, within } from './tracing.ts'

let collector: Collector
let database: TestDatabase

before(async () => {
  collector = await startCollector()
  database = await testDatabase({ poolSize: 1 })
})
after(async () => {
  setTracer(null)
  await database.close()
  await collector.close()
})

/** The spans of a request that does this and is well, with this share of the traces. */
async function exported(work: () => Promise<unknown>, share: number): Promise<CollectedSpan[]> {
  const tracer = createOtlpTracer({
    ...{ endpoint: collector.url, headers: {}, share },
    process: { role: 'test', instanceId: 'test-1' },
    onDropped: () => {},
    limits: { everyMs: 60_000 },
  })
  setTracer(tracer)
  const requestId = newId()
  const span = beginRequest({ requestId, method: 'GET', route: '/' }, undefined)
  await within(span, work, undefined).catch(() => {})
  span?.end()
  await tracer.stop()
  return collector.spans().filter(({ traceId }) => traceId === traceIdOf(requestId))
}

const ECHO = sql('test.echo', 'select $1::text')
const BROKEN = sql('test.broken', 'select $1::int / 0')
const OTHER = sql('test.other', 'select $1::text, 1')

describe('a statement', () => {
  it('has its name and nothing of its parameters, in a transaction too', async () => {
    const { db } = database
    const spans = await exported(async () => {
      await db.query(ECHO, ['a-parameter'])
      await db.transaction((tx) => tx.query(OTHER, ['a-parameter']))
    }, 1)
    const names = spans.map(({ name }) => name)
    assert.ok(names.includes('test.echo') && names.includes('test.other'), names.join())
    assert.ok(!collector.bytes().includes('a-parameter'))
  })

  it('that fails makes its trace leave whatever the share, with the state and no message', async () => {
    const spans = await exported(() => database.db.query(BROKEN, [774_411]), 0)
    const [failed] = spans.filter(({ name }) => name === 'test.broken')
    assert.equal(failed?.hasFailed, true)
    assert.equal(failed?.attributes['db.response.status_code'], '22012')
    assert.ok(!collector.bytes().includes('774411') && !collector.bytes().includes('division'))
  })

  for (const [state, statement] of [
    ['23502', sql('test.constraint', 'insert into infra.rate_slot (next_at) values (now())')],
    ['PT409', sql('test.refused', "do $$ begin raise 'used' using errcode = 'PT409'; end $$")],
  ] as const) {
    it(`that is refused with ${state} is an answer, and no reason to leave`, async () => {
      const { db } = database
      assert.deepEqual(await exported(() => db.query(statement), 0), [])
      const [refused] = await exported(() => db.query(statement), 1)
      assert.equal(refused?.attributes['db.response.status_code'], state)
      assert.equal(refused?.hasFailed, false)
    })
  }

  it('that one of our functions raises for a mistake of ours has failed', async () => {
    const mistake = sql('test.mistake', "do $$ begin raise 'no' using errcode = 'PT500'; end $$")
    const [failed] = await exported(() => database.db.query(mistake), 0)
    assert.equal(failed?.hasFailed, true)
  })

  it('outside of a request or a run has no span', async () => {
    const before = collector.requests()
    const tracer = createOtlpTracer({
      ...{ endpoint: collector.url, headers: {}, share: 1 },
      process: { role: 'test', instanceId: 'test-1' },
      onDropped: () => {},
    })
    setTracer(tracer)
    await database.db.query(ECHO, ['x'])
    await tracer.stop()
    assert.equal(collector.requests(), before)
  })
})
