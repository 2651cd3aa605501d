// Requests as a collector sees them, with none of the traces in its share: what fails is there all the same.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { createLog } from '#infra/process/log'
import { createOtlpTracer, type OtlpTracer } from '#infra/tracing/otlp'
import { setTracer, traceFields, traceIdOf } from '#infra/tracing/tracing'
import { Refusal } from '#kernel/refusal'
import {
  type CollectedSpan,
  type Collector,
  startCollector,
} from '../../../infra/testing/collector.ts'
import { until } from '../../../infra/testing/until.ts'
import { operation } from '../merchant/operation.ts'
import { KEY, startTestServer, type TestServer } from './testing/server.ts'

let collector: Collector
let tracer: OtlpTracer
let server: TestServer
const lines: Record<string, unknown>[] = []

before(async () => {
  collector = await startCollector()
  server = await startTestServer({
    log: createLog({
      level: 'info',
      ofMoment: traceFields,
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    }),
    operations: [
      operation(merchantRoutes.getWallet, async () => {
        throw new Error('a message that quotes tp_test_a_secret')
      }),
      operation(merchantRoutes.getMerchant, async () => {
        throw new Refusal('INSUFFICIENT_BALANCE', { requiredCents: 2n, availableCents: 1n })
      }),
    ],
  })
})
after(async () => {
  setTracer(null)
  await server.close()
  await collector.close()
})

function open(share: number): void {
  tracer = createOtlpTracer({
    ...{ endpoint: collector.url, headers: {}, share },
    process: { role: 'test', instanceId: 'test-1' },
    onDropped: () => {},
    limits: { everyMs: 60_000 },
  })
  setTracer(tracer)
}

/** The spans of the request, when it is over. */
async function exported(path: string): Promise<CollectedSpan[]> {
  const answer = await server.call('GET', path, { headers: { 'api-key': KEY } })
  const requestId = answer.headers.get('x-request-id') ?? ''
  await until('the request is over', () =>
    server.answered.find((answered) => answered.requestId === requestId),
  )
  await tracer.stop()
  return collector.spans().filter(({ traceId }) => traceId === traceIdOf(requestId))
}

describe('outside of the share', () => {
  it('a request that fails by our fault leaves, with its key and without its message', async () => {
    open(0)
    const [span] = await exported('/user/wallet')
    assert.equal(span?.name, 'GET /user/wallet')
    assert.equal(span?.hasFailed, true)
    assert.equal(span?.attributes['error.type'], 'INTERNAL_ERROR')
    assert.equal(span?.attributes['http.response.status_code'], 500)
    assert.ok(!collector.bytes().includes('quotes'))
    for (const message of ['unhandled error', 'request']) {
      const line = lines.find(({ msg }) => msg === message)
      assert.equal(line?.traceId, span?.traceId, message)
    }
  })

  it('a refusal does not leave: it is an answer', async () => {
    open(0)
    assert.deepEqual(await exported(merchantRoutes.getMerchant.path), [])
  })
})

describe('within the share', () => {
  it('a refusal says its key and has not failed', async () => {
    open(1)
    const [span] = await exported(merchantRoutes.getMerchant.path)
    assert.equal(span?.attributes['error.type'], 'INSUFFICIENT_BALANCE')
    assert.equal(span?.hasFailed, false)
  })

  it('an unknown address has the name of no path', async () => {
    open(1)
    const [span] = await exported('/nothing/tp_test_a_secret?token=secret')
    assert.equal(span?.attributes['http.response.status_code'], 404)
    assert.ok(!collector.bytes().includes('secret'))
  })

  it('health is not traced: balancers ask it every second', async () => {
    open(1)
    assert.deepEqual(await exported('/healthz'), [])
  })
})
