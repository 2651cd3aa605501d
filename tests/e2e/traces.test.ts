// Traces as an operator sees them: one trace from a buy to its settlement and its webhooks, whatever queues
// are in between; none of it says a secret, and a collector that is of no use costs nothing but spans.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import {
  type CollectedSpan,
  type Collector,
  startCollector,
} from '../../apps/server/src/infra/testing/collector.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { listAttempts } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { post } from '../../apps/server/src/modules/money/custody/index.ts'
import { jsonLine } from '../support/child.ts'
import { COMPLETED } from '../support/outcome.ts'
import { metricOf } from '../support/server.ts'
import { signerProgram } from '../support/signer.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { type ListingSupply, stock, tradeUrl, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NO_MORE = { maxPerTransaction: `${10n ** 18n}`, maxPerDay: `${10n ** 20n}` }
const { chainId, tokens } = NETWORKS.ethereum
const usdc = tokens.find(({ symbol }) => symbol === 'USDC')
const POLICY = {
  chains: {
    ethereum: {
      ...{ chainId, treasury: DESTINATION, fees: NO_MORE, gasFunding: NO_MORE, native: NO_MORE },
      tokens: { USDC: { address: usdc?.address, ...NO_MORE } },
    },
  },
}

/** What no span may say, wherever it travels in the service. */
const SECRETS = {
  keyOfCollector: 'k3y-of-the-collector',
  tokenOfTradeUrl: 'acceptZ9',
  mail: 'trace.me@secret-mail.example',
  externalId: 'external-id-of-a-person',
  searched: 'what-a-person-searched',
}

const approves = createServer((_, response) => response.end('ok'))
const signer = signerProgram()
let collector: Collector
let stack: Stack
let supply: ListingSupply

before(async () => {
  approves.listen(0, '127.0.0.1')
  await once(approves, 'listening')
  const { port } = approves.address() as AddressInfo
  signer.write({ seed: SEED, policy: POLICY })
  await signer.start()
  collector = await startCollector()
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${SECRETS.keyOfCollector}`,
    OTEL_TRACES_SAMPLER_ARG: '1',
    WEBHOOK_TRACEPARENT: 'true',
    SIGNER_SOCKET: signer.socketPath,
    DEPOSIT_XPUB: await signer.depositXpub(),
    SANDBOX_CHAINS: 'ethereum',
    PAYOUT_CALLBACK_URL: `http://127.0.0.1:${port}/approve`,
  })
  supply = await stock(stack.control, 'market_a')
})
after(async () => {
  approves.close()
  approves.closeAllConnections()
  await stack.close()
  await signer.close()
  await collector.close()
})

const traceOf = (requestId: string): string => requestId.replaceAll('-', '')

const spansOf = (traceId: string): CollectedSpan[] =>
  collector.spans().filter((span) => span.traceId === traceId)

/** Buys the next listing that is for sale. */
async function buy(headers: Record<string, string> = {}) {
  for (;;) {
    const answer = await stack.merchant.call('buy', {
      headers,
      body: {
        items: [{ listingRawId: `market_a:${supply.take().id}`, maxPrice: '900.00' }],
        tradeUrl: tradeUrl(SECRETS.tokenOfTradeUrl),
        externalId: `${SECRETS.externalId}-${newId()}`,
      },
    })
    if (answer.error?.key === 'LISTING_NOT_FOUND') continue
    assert.ok(answer.data, JSON.stringify(answer.error))
    return { tradeId: answer.data.id, requestId: answer.requestId }
  }
}

/** Every line that the service has written, as far as it is kept. */
const lines = (): Readonly<Record<string, unknown>>[] =>
  stack
    .server()
    .stdout()
    .split('\n')
    .map(jsonLine)
    .filter((line) => line !== null)

describe('a buy', () => {
  let bought: { readonly tradeId: string; readonly requestId: string }
  let spans: CollectedSpan[]
  const of = (name: string): CollectedSpan[] => spans.filter((span) => span.name === name)

  before(async () => {
    bought = await buy()
    await untilEnded(stack.merchant, bought.tradeId)
    spans = await until('its webhooks are in its trace', () => {
      const all = spansOf(traceOf(bought.requestId))
      const sent = all.filter(({ name }) => name === 'webhook attempt')
      return sent.length >= COMPLETED.events.split(' ').length ? all : null
    })
  })

  it('is one trace, from its request through the queue to its settlement and its webhooks', () => {
    const [root] = of('POST /market/buy')
    assert.equal(root?.parentSpanId || null, null)
    assert.equal(root?.attributes['tradepost.request_id'], bought.requestId)
    assert.equal(root?.attributes['http.response.status_code'], 200)
    assert.equal(of('buying.place_buy')[0]?.parentSpanId, root?.spanId)
    assert.equal(of('place order')[0]?.parentSpanId, root?.spanId)
    assert.deepEqual(
      new Set(of('step of item').map(({ attributes }) => attributes['tradepost.status'])),
      new Set(['pending', 'active', 'hold', 'completed']),
    )
    assert.deepEqual(
      new Set(of('webhook attempt').map(({ attributes }) => attributes['tradepost.event_type'])),
      new Set(COMPLETED.events.split(' ').map((type) => `trade.${type}`)),
    )
    const known = new Set(spans.map(({ spanId }) => spanId))
    const lost = spans.filter(({ parentSpanId }) => parentSpanId && !known.has(parentSpanId))
    assert.deepEqual(lost, [], 'each span is below another of the trace')
  })

  it('shows the call to its supplier below the placing', () => {
    const [placed] = of('place order')
    const [call] = spans.filter(({ attributes }) => attributes['tradepost.provider'] === 'market_a')
    assert.equal(call?.parentSpanId, placed?.spanId)
    assert.equal(call?.attributes['tradepost.outcome'], 'answer')
  })

  it('is linked to the runs of the jobs that worked on it', async () => {
    const [link] = of('place order')[0]?.links ?? []
    const run = await until('the run has ended', () => {
      const [found] = collector.spans().filter(({ spanId }) => spanId === link?.spanId)
      return found ?? null
    })
    assert.equal(run.name, 'job place-orders-market_a')
    assert.equal(run.traceId, link?.traceId)
  })

  it('reaches the merchant’s endpoint with its trace, where the setting says so', async () => {
    const { db } = stack.database
    const deliveries = await db.query<{ deliveryId: string; tenantId: string }>(
      sql(
        'test_deliveries',
        `select id "deliveryId", tenant_id "tenantId" from webhooks.delivery where subject_id = $1`,
      ),
      [bought.tradeId],
    )
    const attempts = await Promise.all(deliveries.map((delivery) => listAttempts(db, delivery)))
    assert.ok(attempts.flat().length > 0)
    for (const { requestHeaders } of attempts.flat()) {
      assert.match(
        requestHeaders.traceparent ?? '',
        new RegExp(`^00-${traceOf(bought.requestId)}-[0-9a-f]{16}-01$`),
      )
    }
  })

  it('is found by its trace in the lines of the log', async () => {
    const about = await until('the line of the request is written', () => {
      const found = lines().filter(({ requestId }) => requestId === bought.requestId)
      return found.some(({ msg }) => msg === 'request') ? found : null
    })
    for (const line of about.filter(({ msg }) => msg === 'request' || msg === 'provider called')) {
      assert.ok(typeof line.traceId === 'string', JSON.stringify(line))
    }
    const request = about.find(({ msg }) => msg === 'request')
    assert.equal(request?.traceId, traceOf(bought.requestId))
  })
})

describe('a sell', () => {
  let spans: CollectedSpan[]
  const of = (name: string): CollectedSpan[] => spans.filter((span) => span.name === name)

  before(async () => {
    const { merchant } = stack
    const behalf = `${SECRETS.externalId}-s`
    await merchant.get('createSubUser', { body: { externalId: behalf } })
    const url = tradeUrl(SECRETS.tokenOfTradeUrl, 50_000_001)
    await merchant.get('createTradeUrl', { behalf, body: { url } })
    const item = await until(
      'the bots buy an item',
      async () => {
        const { items } = await merchant.get('getSellInventory', { behalf })
        return items.find(({ accepted }) => accepted)
      },
      { everyMs: 1000 },
    )
    const { data, requestId } = await merchant.call('sell', {
      behalf,
      body: { items: [{ id: item.id, price: item.price.toFixed(2) }] },
    })
    await untilEnded(merchant, data?.id ?? '')
    spans = await until('its last step is in its trace', () => {
      const all = spansOf(traceOf(requestId))
      return all.some(({ attributes }) => attributes['tradepost.status'] === 'completed')
        ? all
        : null
    })
  })

  it('is one trace, from its request through its offer to its settlement', () => {
    const [root] = of('POST /market/sell')
    assert.equal(of('send offer')[0]?.parentSpanId, root?.spanId)
    assert.deepEqual(
      new Set(of('step of offer').map(({ attributes }) => attributes['tradepost.status'])),
      new Set(['active', 'hold', 'completed']),
    )
  })

  it('is linked to the runs of the jobs that worked on it', async () => {
    const linked = [...of('send offer'), ...of('step of offer')].flatMap(({ links }) => links)
    const runs = await until('the runs have ended', () => {
      const found = collector
        .spans()
        .filter(({ spanId }) => linked.some((link) => link.spanId === spanId))
      return found.length === new Set(linked.map(({ spanId }) => spanId)).size ? found : null
    })
    assert.deepEqual(
      new Set(runs.map(({ name }) => name)),
      new Set(['job place-sells', 'job follow-sells']),
    )
  })
})

describe('a caller', () => {
  it('with a trace of its own gets a link to it, and decides nothing', async () => {
    const callers = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }
    const { requestId } = await buy({
      traceparent: `00-${callers.traceId}-${callers.spanId}-00`,
    })
    const root = await until('the request has left', () => {
      const [found] = spansOf(traceOf(requestId)).filter(({ name }) => name === 'POST /market/buy')
      return found ?? null
    })
    assert.deepEqual(root.links, [callers])
    assert.deepEqual(spansOf(callers.traceId), [])
  })
})

describe('a withdrawal', () => {
  it('is signed in the trace that the signer program names in its own line', async () => {
    const { db } = stack.database
    const [merchant] = await db.query<{ id: string }>(
      sql('test_merchant', "select id from identity.account where kind = 'merchant'"),
    )
    const posting = {
      ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null },
      ...{ chain: 'ethereum', token: 'USDC', units: baseUnits(1_000_000_000n) },
      debit: 'deposit_address',
      credit: { role: 'merchant', ownerId: String(merchant?.id) },
    } as const
    await db.transaction((tx) => post(tx, [posting], new Date()))
    await stack.merchant.get('createWithdrawal', {
      body: {
        ...{ externalId: `${SECRETS.externalId}-w`, chain: 'ethereum', token: 'USDC' },
        ...{ destination: DESTINATION, amountCents: 2500 },
      },
    })
    const [signed] = await until('its signature has left', () => {
      const found = collector.named('sign transaction')
      return found.length > 0 ? found : null
    })
    assert.equal(signed?.attributes['tradepost.outcome'], 'signed')
    assert.ok(signer.said().includes(`"traceId":"${signed?.traceId}"`), signer.said())
    const callback = await until('its approval has left', () => {
      const found = collector.named('webhook callback')
      return found.length > 0 ? found : null
    })
    assert.equal(callback[0]?.attributes['tradepost.outcome'], 'answered')
  })
})

describe('what leaves', () => {
  it('says no key, token, trade URL, mail address or password', async () => {
    const { merchant, demo } = stack
    await merchant.get('createSubUser', {
      body: { externalId: SECRETS.externalId, email: SECRETS.mail },
    })
    await merchant.get('createTradeUrl', { body: { url: tradeUrl(SECRETS.tokenOfTradeUrl) } })
    await merchant.get('searchMarket', { query: { q: SECRETS.searched } })
    const { token } = await merchant.get('issueWsToken', { body: {} })
    const asked = [
      await merchant.call('getWallet', { behalf: `${SECRETS.externalId}-unknown` }),
      await merchant.call('getWallet', { apiKey: `tp_live_${'x'.repeat(40)}` }),
    ]
    const login = await fetch(`${demo.baseUrl}/dashboard/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRETS.searched}` },
      body: JSON.stringify({ email: demo.merchant.email, password: demo.merchant.password }),
    })
    assert.equal(login.status, 200, await login.text())
    const cookies = login.headers.getSetCookie().map((cookie) => /=([^;]+)/.exec(cookie)?.[1] ?? '')
    assert.ok(cookies.every((cookie) => cookie.length > 8))
    const lastOf = asked.map(({ requestId }) => traceOf(requestId))
    await until('the last requests have left', () =>
      lastOf.every((traceId) => spansOf(traceId).length > 0) ? true : null,
    )
    const { bytes } = collector
    const keys = [demo.merchant, demo.partner, demo.admin].flatMap((one) => Object.values(one))
    const secrets = [
      ...keys,
      ...Object.values(SECRETS).filter((secret) => secret !== SECRETS.keyOfCollector),
      ...['x'.repeat(40), '39734273', '76561198000000001', 'steamcommunity.com/tradeoffer'],
      ...[...cookies, token, SEED, DESTINATION, DESTINATION.toLowerCase(), stack.database.url],
      ...['@', 'whsec_', 'tp_live_', 'tp_test_', 'http://', 'https://', 'postgres://'],
    ]
    for (const secret of secrets) {
      assert.ok(!bodiesOf(bytes()).includes(secret), `${secret} was exported`)
    }
    assert.equal(bodiesOf(bytes()).includes(SECRETS.keyOfCollector), false)
    assert.ok(bytes().includes(SECRETS.keyOfCollector), 'the key of the collector is a header')
  })
})

/** Without the heads, in which the address of the collector and its key are. */
const bodiesOf = (bytes: string): string =>
  bytes
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n')

describe('a collector', () => {
  for (const mode of ['refuses', 'hangs'] as const) {
    it(`that ${mode} changes no buy; what it does not take is dropped and counted`, async () => {
      const lost = async (): Promise<number> => {
        const reasons = ['not_taken', 'queue_full']
        const counts = await Promise.all(
          reasons.map((reason) =>
            metricOf(stack.server(), 'tradepost_traces_dropped_total', { reason }),
          ),
        )
        return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
      }
      const before = await lost()
      collector.become(mode)
      const { tradeId } = await buy()
      assert.equal((await untilEnded(stack.merchant, tradeId)).status, 'completed')
      await until('spans are counted', async () => ((await lost()) > before ? true : null))
    })
  }

  it('that takes spans again gets the next ones', async () => {
    collector.become('takes')
    const { requestId } = await buy()
    await until('the buy has left', () => (spansOf(traceOf(requestId)).length > 0 ? true : null))
  })
})
