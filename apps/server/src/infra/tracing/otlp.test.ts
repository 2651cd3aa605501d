// Against a collector over real HTTP.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { type CollectedSpan, type Collector, startCollector } from '../testing/collector.ts'
import { until } from '../testing/until.ts'
import { createOtlpTracer, type DropReason, type OtlpTracer } from './otlp.ts'
import {
  beginCall,
  beginFor,
  beginRequest,
  beginRun,
  beginStatement,
  currentSpan,
  detached,
  setTracer,
  traced,
  traceFields,
  traceIdOf,
  within,
} from './tracing.ts'

let collector: Collector
let tracer: OtlpTracer
let dropped: Record<DropReason, number>

before(async () => {
  collector = await startCollector()
})
after(() => collector.close())
beforeEach(() => open(1))
afterEach(async () => {
  setTracer(null)
  await tracer.stop()
  collector.become('takes')
})

function open(share: number, limits = {}): void {
  dropped = { queue_full: 0, not_taken: 0, held_full: 0 }
  tracer = createOtlpTracer({
    ...{ endpoint: collector.url, headers: { 'x-key': 'of the collector' }, share },
    process: { role: 'test', instanceId: 'test-1' },
    onDropped: (reason, count) => {
      dropped[reason] += count
    },
    limits: { timeoutMs: 300, everyMs: 60_000, stopMs: 20_000, ...limits },
  })
  setTracer(tracer)
}

const ROUTE = { method: 'GET', route: '/market/items/{itemId}' }
const CALL = { provider: 'market_x', operation: 'look-up' }

/** Everything of these traces that has left. */
async function exported(...traceIds: string[]): Promise<CollectedSpan[]> {
  await tracer.stop()
  return collector.spans().filter(({ traceId }) => traceIds.includes(traceId))
}

const namesOf = (spans: readonly CollectedSpan[]): string[] => spans.map(({ name }) => name).sort()

async function request(
  work: () => Promise<void>,
  { traceparent, error }: { traceparent?: string; error?: string } = {},
): Promise<string> {
  const requestId = newId()
  const span = beginRequest({ requestId, ...ROUTE }, traceparent)
  await within(span, work, undefined)
  span?.end(error)
  return traceIdOf(requestId)
}

const statement = async (): Promise<void> => beginStatement('test.statement')?.end()

describe('a request', () => {
  it('begins the trace of its id, with what it does below it', async () => {
    const traceId = await request(async () => {
      await statement()
      await traced(beginCall(CALL), statement, undefined)
    })
    const spans = await exported(traceId)
    assert.deepEqual(namesOf(spans), [
      'GET /market/items/{itemId}',
      'market_x look-up',
      'test.statement',
      'test.statement',
    ])
    const [root] = spans.filter(({ parentSpanId }) => !parentSpanId)
    assert.equal(root?.name, 'GET /market/items/{itemId}')
    assert.equal(traceIdOf(String(root?.attributes['tradepost.request_id'])), traceId)
    const [call] = spans.filter(({ name }) => name === 'market_x look-up')
    assert.equal(call?.parentSpanId, root?.spanId)
    const parents = spans.filter(({ name }) => name === 'test.statement')
    assert.deepEqual(
      parents.map(({ parentSpanId }) => parentSpanId).sort(),
      [root?.spanId, call?.spanId].sort(),
    )
  })

  it('takes neither its id nor its share from its caller, whose trace is a link', async () => {
    await tracer.stop()
    open(0)
    const callers = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const traceId = await request(statement, { traceparent: callers })
    assert.deepEqual(await exported(traceId, 'a'.repeat(32)), [], 'the caller decides no share')
    open(1)
    const shown = await request(statement, { traceparent: callers })
    const [root] = (await exported(shown)).filter(({ parentSpanId }) => !parentSpanId)
    assert.deepEqual(root?.links, [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }])
  })

  it('has no link from a header that is not of the form', async () => {
    for (const traceparent of [
      'x',
      `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
      '00-key-secret-01',
    ]) {
      const traceId = await request(statement, { traceparent })
      const [root] = (await exported(traceId)).filter(({ parentSpanId }) => !parentSpanId)
      assert.deepEqual(root?.links, [])
      open(1)
    }
  })

  it('that fails leaves whole outside of the share; one that is well does not leave', async () => {
    await tracer.stop()
    open(0)
    const well = await request(statement)
    const failed = await request(statement, { error: 'INTERNAL_ERROR' })
    const spans = await exported(well, failed)
    assert.deepEqual(namesOf(spans), ['GET /market/items/{itemId}', 'test.statement'])
    assert.ok(spans.every(({ traceId }) => traceId === failed))
    assert.equal(
      spans.find(({ hasFailed }) => hasFailed)?.attributes['error.type'],
      'INTERNAL_ERROR',
    )
  })

  it('adds nothing to a trace that is over', async () => {
    let late = Promise.resolve()
    const traceId = await request(async () => {
      late = new Promise(setImmediate).then(statement)
    })
    await late
    assert.deepEqual(namesOf(await exported(traceId)), ['GET /market/items/{itemId}'])
  })
})

describe('work that a request left behind', () => {
  it('is in its trace, below its first span, and linked to the run that did it', async () => {
    const requestId = newId()
    beginRequest({ requestId, ...ROUTE }, undefined)?.end()
    let runTrace = ''
    const run = beginRun({ name: 'test', everyMs: 100 })
    await traced(
      run,
      async () => {
        runTrace = currentSpan()?.traceId ?? ''
        await traced(beginFor(requestId, 'place order'), statement, undefined)
      },
      undefined,
    )
    const spans = await exported(traceIdOf(requestId), runTrace)
    const [root] = spans.filter(({ name }) => name.startsWith('GET'))
    const [placed] = spans.filter(({ name }) => name === 'place order')
    const [job] = spans.filter(({ name }) => name === 'job test')
    assert.equal(placed?.traceId, traceIdOf(requestId))
    assert.equal(placed?.parentSpanId, root?.spanId)
    assert.deepEqual(placed?.links, [{ traceId: runTrace, spanId: job?.spanId }])
  })

  it('is below the work of its own trace that is under way', async () => {
    const requestId = newId()
    await traced(
      beginFor(requestId, 'place order'),
      () => traced(beginFor(requestId, 'step of item'), statement, undefined),
      undefined,
    )
    const spans = await exported(traceIdOf(requestId))
    const [placed] = spans.filter(({ name }) => name === 'place order')
    const [step] = spans.filter(({ name }) => name === 'step of item')
    assert.equal(step?.parentSpanId, placed?.spanId)
    assert.deepEqual(step?.links, [])
  })

  it('has no trace where what is known of the request is no id', () => {
    assert.equal(beginFor('place-market_a', 'place order'), null)
  })
})

describe('a run of a job', () => {
  const run = async (work: () => Promise<void>, everyMs = 100): Promise<string> => {
    let traceId = ''
    await traced(
      beginRun({ name: 'test', everyMs }),
      async () => {
        traceId = currentSpan()?.traceId ?? ''
        await work()
      },
      undefined,
    ).catch(() => {})
    return traceId
  }

  it('that finds its queue empty is not shown, where it looks many times a second', async () => {
    const often = await run(statement)
    const seldom = await run(statement, 60_000)
    const worked = await run(() => traced(beginCall(CALL), statement, undefined))
    assert.deepEqual(namesOf(await exported(often)), [])
    assert.deepEqual(namesOf(await exported(seldom)), ['job test', 'test.statement'])
    assert.deepEqual(namesOf(await exported(worked)), [
      'job test',
      'market_x look-up',
      'test.statement',
    ])
  })

  it('that fails says with what, and never the message', async () => {
    const failures = [
      [new Refusal('MARKET_UNAVAILABLE'), 'MARKET_UNAVAILABLE'],
      [Object.assign(new Error('key=secret'), { code: 'ECONNRESET' }), 'ECONNRESET'],
      [new TypeError('https://user:secret@host/'), 'TypeError'],
      ['secret', 'unknown'],
    ] as const
    for (const [thrown, name] of failures) {
      const traceId = await run(() => Promise.reject(thrown))
      const [span] = await exported(traceId)
      assert.equal(span?.attributes['error.type'], name)
      open(1)
    }
    assert.ok(!collector.bytes().includes('secret'))
  })
})

describe('the current span', () => {
  it('goes along with what is awaited, and not with what is detached', async () => {
    await request(async () => {
      const { traceId } = traceFields()
      await new Promise(setImmediate)
      assert.equal(traceFields().traceId, traceId)
      detached(() => assert.deepEqual(traceFields(), {}), undefined)
    })
  })

  it('is none, and begins none, without a tracer', () => {
    setTracer(null)
    assert.equal(currentSpan(), null)
    assert.deepEqual(traceFields(), {})
    assert.equal(beginRequest({ requestId: newId(), ...ROUTE }, undefined), null)
    assert.equal(beginStatement('test.statement'), null)
    assert.equal(beginCall(CALL), null)
    assert.equal(beginRun({ name: 'test', everyMs: 100 }), null)
    assert.equal(beginFor(newId(), 'place order'), null)
  })
})

describe('a collector', () => {
  it('gets the headers that an operator has set', async () => {
    await exported(await request(statement))
    assert.match(collector.bytes(), /x-key of the collector/i)
  })

  for (const mode of ['refuses', 'hangs'] as const) {
    it(`that ${mode} costs spans, which are counted, and no more memory than is set`, async () => {
      await tracer.stop()
      collector.become(mode)
      open(1, { queuedSpans: 64, everyMs: 1 })
      for (let i = 0; i < 500; i++) await request(statement)
      await until('a batch is given up', () => (dropped.not_taken > 0 ? true : null))
      const lost = (): number => dropped.queue_full + dropped.not_taken
      assert.ok(lost() > 0)
      await tracer.stop()
      assert.equal(lost(), 1000, 'each span was counted once')
    })
  }

  it('that cannot be reached costs spans too', async () => {
    await tracer.stop()
    const gone = await startCollector()
    await gone.close()
    tracer = createOtlpTracer({
      ...{ endpoint: gone.url, headers: {}, share: 1 },
      process: { role: 'test', instanceId: 'test-1' },
      onDropped: (reason, count) => {
        dropped[reason] += count
      },
      limits: { timeoutMs: 300, stopMs: 20_000 },
    })
    setTracer(tracer)
    await request(statement)
    await tracer.stop()
    assert.equal(dropped.not_taken, 2)
  })
})
