import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ServiceStatus } from '@tradepost/contract'
import { Compile } from 'typebox/compile'
import { Refusal } from '#kernel/refusal'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { KEY, keyRecord, rateLimits, startTestServer } from '../shared/testing/server.ts'
import { addStatusPage } from './add-status-page.ts'
import type { Known } from './board.ts'
import { createStatusInterface } from './status-interface.ts'
import { statusPageHtml } from './status-page.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const clock = { now: () => NOW }
const SINCE = new Date('2026-11-20T09:30:00.000Z')

const component = (
  component: Known['components'][number]['component'],
  name: string,
  change: Partial<Known['components'][number]> = {},
) => ({
  ...{ component, name, status: 'operational' as const, reason: null, since: SINCE, days: [] },
  ...change,
})
const KNOWN: Known = {
  judgedAt: NOW,
  readAt: NOW,
  components: [
    component('deposit', 'base', { status: 'disabled' }),
    component('deposit', 'gateway'),
    component('deposit', 'onramp', { status: 'down' }),
    component('market', 'market_a'),
    component('market', 'market_b', { status: 'degraded' }),
    component('payout', 'base'),
    component('platform', ''),
    component('trading', '', { status: 'paused', reason: 'Maintenance <b>tonight</b>' }),
  ],
  figures: [
    { market: 'market_a', listings: 1200, readAt: SINCE, expectedWaitSeconds: 0 },
    { market: 'market_b', listings: 7, readAt: null, expectedWaitSeconds: 4000 },
  ],
}

async function startWith(known: Known | null) {
  const board = { known: () => known }
  const limits = rateLimits()
  const { authenticate, confirm } = createAuthenticator({
    findKey: async (secret) => (secret === KEY ? keyRecord({ scopes: ['live'] }) : null),
    looksLikeKey: (secret) => secret.startsWith('tp_test_'),
    clock,
  })
  const status = createStatusInterface({
    ...{ authenticate, confirm, board, rateLimits: limits },
    webhookAddresses: ['203.0.113.10'],
  })
  return startTestServer({
    others: [status],
    rateLimits: limits,
    addRoutes: (app, edge) => addStatusPage(app, edge, { board, clock }),
  })
}

const keyless = { headers: { 'api-key': '' } }

describe('GET /market/status', () => {
  let server: Awaited<ReturnType<typeof startWith>>
  before(async () => {
    server = await startWith(KNOWN)
  })
  after(() => server.close())

  it('answers the status in the shape of the contract', async () => {
    const { json } = await server.call('GET', '/market/status', keyless)
    assert.ok(Compile(ServiceStatus).Check(json.data))
    const since = SINCE.toISOString()
    assert.deepEqual(json.data, {
      trading: { status: 'paused', reason: 'Maintenance <b>tonight</b>', since },
      markets: [
        {
          ...{ market: 'market_a', status: 'operational', since, listings: 1200, readAt: since },
          expectedPlacementSeconds: 1,
        },
        {
          ...{ market: 'market_b', status: 'degraded', since, listings: 7, readAt: null },
          expectedPlacementSeconds: null,
        },
      ],
      platform: { status: 'operational', since },
      deposits: [
        { method: 'gateway', chain: null, status: 'operational', since },
        { method: 'onramp', chain: null, status: 'down', since },
        { method: 'crypto', chain: 'base', status: 'disabled', since },
      ],
      payouts: [{ chain: 'base', status: 'operational', since }],
      webhookAddresses: ['203.0.113.10'],
    })
  })

  it('is read with a key of any scope, also for a sub-user, and costs nothing', async () => {
    for (let i = 0; i < 61; i++) {
      const headers = { 'on-behalf-of': 'alice' }
      const { status } = await server.call('GET', '/market/status', i % 2 ? { headers } : {})
      assert.equal(status, 200)
    }
    assert.equal((await server.call('GET', '/user/wallet')).status, 200)
  })

  it('refuses a key that is not good', async () => {
    for (const key of ['tp_test_unknown', 'nonsense']) {
      const answer = await server.call('GET', '/market/status', { headers: { 'api-key': key } })
      assert.deepEqual([answer.status, answer.json.error?.key], [401, 'INVALID_API_KEY'])
    }
  })

  it('refuses unknown parameters', async () => {
    const answer = await server.call('GET', '/market/status?market=market_a', keyless)
    assert.equal(answer.json.error?.key, 'VALIDATION_FAILED')
  })

  it('answers HEAD and OPTIONS as other addresses do', async () => {
    assert.equal((await server.call('HEAD', '/market/status', keyless)).status, 200)
    assert.equal((await server.call('OPTIONS', '/market/status', keyless)).status, 204)
  })
})

it('without a key an address has 60 calls a minute, and a key at the same address its own', async () => {
  const server = await startWith(KNOWN)
  try {
    for (let i = 0; i < 60; i++) {
      assert.equal((await server.call('GET', '/market/status', keyless)).status, 200)
    }
    const { status, json } = await server.call('GET', '/market/status', keyless)
    assert.deepEqual([status, json.error?.key], [429, 'RATE_LIMITED'])
    assert.deepEqual([json.error?.meta?.scope, json.error?.meta?.policy], ['ip', 'status'])
    assert.equal((await server.call('GET', '/market/status')).status, 200)
  } finally {
    await server.close()
  }
})

it('a process that knows nothing yet says so', async () => {
  const server = await startWith(null)
  try {
    const { status, json } = await server.call('GET', '/market/status', keyless)
    assert.deepEqual([status, json.error?.key], [503, new Refusal('SERVICE_DISABLED').key])
    const page = await server.call('GET', '/status', keyless)
    assert.equal(page.status, 200)
    assert.match(page.text, /Status unknown/)
  } finally {
    await server.close()
  }
})

describe('the page', () => {
  const DAY = { date: '2026-11-20', status: 'down' as const, seconds: { down: 300, degraded: 45 } }
  const pageOf = async (known: Known) => {
    const server = await startWith(known)
    try {
      return await server.call('GET', '/status', keyless)
    } finally {
      await server.close()
    }
  }

  it('shows each part with its status and its days, and needs no key', async () => {
    const components = KNOWN.components.map((one) => ({ ...one, days: [DAY] }))
    const { status, headers, text } = await pageOf({ ...KNOWN, components })
    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(text, /<h1>Trading is paused<\/h1>/)
    for (const part of ['Market A', 'Payment gateway', 'Card on-ramp', 'Base']) {
      assert.match(text, new RegExp(`<h3>${part}</h3>`))
    }
    assert.match(text, /2026-11-20: down 5 min, degraded 45 s/)
    assert.match(text, /Maintenance &lt;b&gt;tonight&lt;\/b&gt;/)
    assert.doesNotMatch(text, /style=|onclick|<script>/)
  })

  it('lists ways of depositing in one order: providers, then chains', async () => {
    const one = KNOWN.components.find(({ component }) => component === 'deposit')
    assert.ok(one)
    const names = ['base', 'ethereum', 'gateway', 'onramp']
    const components = names.map((name) => ({ ...one, name }))
    const { text } = await pageOf({ ...KNOWN, components })
    const shown = [...text.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, label]) => label)
    assert.deepEqual(shown, ['Payment gateway', 'Card on-ramp', 'Ethereum', 'Base'])
  })

  it('says how old it is once nothing newer can be read', async () => {
    assert.doesNotMatch((await pageOf(KNOWN)).text, / ago\./)
    const readAt = new Date(NOW.getTime() - 300_000)
    assert.match((await pageOf({ ...KNOWN, readAt })).text, /11:55:00 UTC<\/time>, 5 min ago\./)
  })

  it('of one reading has the age of the moment, however often it was asked for before', () => {
    let now = NOW
    const deps = { board: { known: () => KNOWN }, clock: { now: () => now } }
    for (const [seconds, age] of [
      [0, undefined],
      [30, undefined],
      [31, '31 s'],
      [32, '32 s'],
      [150, '3 min'],
      [300, '5 min'],
    ] as const) {
      now = new Date(NOW.getTime() + seconds * 1000)
      for (let i = 0; i < 2; i++) {
        assert.equal(/, ([^,]*) ago\./.exec(statusPageHtml(deps))?.[1], age, `${seconds} s`)
      }
    }
  })
})
