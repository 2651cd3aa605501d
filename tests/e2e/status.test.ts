// The status of the whole service: what merchants read, and the event of a change.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ServiceStatus } from '@tradepost/contract'
import { compile } from '../../packages/contract/src/testing/validator.ts'
import { shareStack } from '../support/shared-stack.ts'
import { type Frame, openReady, type Socket, tokenOf, wsUrl } from '../support/sockets.ts'
import { explainMarket, type Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

const CHANGED = 'service.status_changed'
const isServiceStatus = compile(ServiceStatus)

let stack: Stack
before(async () => {
  stack = await shareStack()
})
after(() => stack.close())

const statusNow = async (): Promise<ServiceStatus> => {
  const answer = await fetch(`${stack.demo.baseUrl}/market/status`)
  const { data } = (await answer.json()) as { data: ServiceStatus }
  assert.ok(isServiceStatus(data))
  return data
}

it('a pause is reported once: by webhook, in the feed and on both sockets, and shown at once', async () => {
  const { merchant, webhooks, demo } = stack
  const { externalId = '' } = await merchant.get('createSubUser', {
    body: { externalId: 'follower' },
  })
  const sockets: Socket[] = []
  const open = async (path: '/market/live' | '/user/live', behalf?: string) => {
    const scopes = path === '/market/live' ? (['market'] as const) : (['user'] as const)
    const token = await tokenOf(merchant, scopes, behalf)
    const socket = await openReady(wsUrl(demo.baseUrl, path, { token }))
    sockets.push(socket)
    return socket
  }
  const all = [
    await open('/market/live'),
    await open('/user/live'),
    await open('/user/live', externalId ?? ''),
  ]
  assert.equal((await statusNow()).trading.status, 'operational')

  await stack.ops('trading:pause', '--reason', 'A rehearsal of the pause')
  try {
    const of = ({ event, data }: Pick<Frame, 'event' | 'data'>): boolean =>
      event === CHANGED && data.component === 'trading' && data.status === 'paused'
    const frames = await Promise.all(all.map((one) => one.frame('the pause', of)))
    const { trading } = await until('the pause is shown', async () => {
      const now = await statusNow()
      return now.trading.status === 'paused' && now
    })
    assert.equal(trading.reason, 'A rehearsal of the pause')
    const expected = {
      ...{ component: 'trading', name: null, status: 'paused', previous: 'operational' },
      ...{ since: trading.since, reason: 'A rehearsal of the pause' },
    }
    for (const { data } of frames) assert.deepEqual(data, expected)

    const posted = await until('the webhook came', () =>
      webhooks.all().find(({ type, data }) => type === CHANGED && data.status === 'paused'),
    )
    assert.deepEqual(posted.data, expected)
    const read = await merchant.get('getMerchantEvent', { params: { id: posted.id } })
    assert.deepEqual([read.type, read.data], [CHANGED, expected])
    assert.deepEqual(
      frames.map(({ id }) => id),
      [undefined, posted.id, posted.id],
    )
  } finally {
    await stack.ops('trading:resume', '--reason', 'the rehearsal is over')
  }
  const isEnd = ({ event, data }: Pick<Frame, 'event' | 'data'>): boolean =>
    event === CHANGED && data.status === 'operational' && data.previous === 'paused'
  for (const one of all) await one.frame('the end of the pause', isEnd)
  await until('the end is posted', () =>
    webhooks.all().find(({ type, data }) => type === CHANGED && data.status === 'operational'),
  )
  const { items } = await merchant.get('listMerchantEvents', {
    query: { type: CHANGED, limit: 100 },
  })
  const ofTrading = items.filter(({ data }) => data.component === 'trading')
  assert.deepEqual(
    ofTrading.map(({ data }) => data.status),
    ['operational', 'paused'],
  )
  for (const one of all) {
    const reported = one.frames.filter(
      ({ event, data }) => event === CHANGED && data.component === 'trading',
    )
    assert.equal(reported.length, 2)
  }
  await Promise.all(sockets.map((one) => one.end()))
})

it('every part is listed, and the page shows it without a log-in', async () => {
  // It is judged every five seconds: what a market was before may be shown still.
  const { markets, deposits, payouts, platform } = await until(
    'the markets are operational',
    async () => {
      const now = await statusNow()
      const unwell = now.markets.find(({ status }) => status !== 'operational')
      if (unwell) throw new Error(`${unwell.status}: ${await explainMarket(stack, unwell.market)}`)
      return now
    },
  )
  assert.deepEqual(
    markets.map(({ market }) => market),
    ['market_a', 'market_b'],
  )
  for (const { market, listings, expectedPlacementSeconds } of markets) {
    assert.ok(listings > 0, market)
    assert.ok(expectedPlacementSeconds !== null && expectedPlacementSeconds >= 1, market)
  }
  assert.equal(platform.status, 'operational')
  assert.deepEqual(
    deposits.filter(({ chain }) => chain === null).map(({ method }) => method),
    ['gateway', 'onramp'],
  )
  const chains = ['arbitrum', 'base', 'bsc', 'ethereum', 'optimism']
  assert.deepEqual(deposits.flatMap(({ chain }) => chain ?? []).toSorted(), chains)
  assert.deepEqual(payouts.map(({ chain }) => chain).toSorted(), chains)
  const page = await fetch(`${stack.demo.baseUrl}/status`)
  const text = await page.text()
  assert.equal(page.status, 200)
  for (const market of ['Market A', 'Market B']) assert.match(text, new RegExp(market))
})
