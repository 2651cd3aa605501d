// What a merchant, a partner and their customers do before the photographs, so that every page has something
// to show: trades that ended in each way and one under way, deposits, withdrawals, deliveries, an adjustment.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  type Browser,
  createBrowser,
} from '../../apps/server/src/edges/http/testing/dashboard-server.ts'
import { createClient, createPartnerClient } from '../support/client.ts'
import { buyBody, someListing, untilCode } from '../support/partner.ts'
import { controlOf } from '../support/sandbox.ts'
import type { Demo } from '../support/server.ts'
import { untilStocked } from '../support/stack.ts'
import { aBuyer, buyNext, stock, tradeUrl, untilEnded, untilStatus } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { answerWith, type Receiver } from '../webhooks/receiver.ts'

export const CHAIN = 'ethereum'
const TOKEN = 'USDC'
const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SLOW = { deadlineMs: 120_000, everyMs: 500 }

/** The ids of records, for the paths of `PAGES`. */
export type Ids = Readonly<Record<string, string>>

interface Session {
  /** The data of an answer; a refusal fails. */
  get(path: string): Promise<Answer>
  send(method: 'POST' | 'PUT', path: string, body: object): Promise<Answer>
}
// biome-ignore lint/suspicious/noExplicitAny: an answer is read as a client reads it
type Answer = any

/** `endpoint` is where the webhooks of all go. */
export async function doBusiness(demo: Demo, endpoint: Receiver): Promise<Ids> {
  const [merchant, partner, admin] = [
    await logIn(demo, demo.merchant),
    await logIn(demo, demo.partner),
    await logIn(demo, demo.admin),
  ]
  const traded = await trade(demo, endpoint)
  const paid = await payInAndOut(demo, merchant)
  const batched = await payBatch(demo)
  const ofPartner = await tradeAsPartner(demo, partner, endpoint)
  await merchant.send('POST', 'members/invitations', {
    ...{ email: 'finance@example.com', role: 'finance' },
  })
  const newest = async (path: string): Promise<string> =>
    until(`a row of ${path}`, async () => (await merchant.get(path)).items[0]?.id as string, SLOW)
  const { user } = await merchant.get('session')
  const adjustment = randomUUID()
  await admin.send('POST', 'admin/adjustments', {
    ...{
      id: adjustment,
      accountId: user.accountId,
      wallet: 'spot',
      side: 'credit',
      amount: '12.50',
    },
    ...{ reason: 'a bank transfer that came without a reference', reference: 'transfer-4711' },
  })
  return {
    ...traded,
    ...paid,
    ...batched,
    ...ofPartner,
    ...{ account: user.accountId, adjustment },
    user: await newest('users?limit=1'),
    item: await newest('market?inStock=true&limit=1'),
    event: await newest('events?limit=1'),
    delivery: await newest('webhook/deliveries?limit=1&status=delivered'),
    key: (await merchant.get('keys'))[0].id,
    case: await until(
      'a case',
      async () => (await admin.get('admin/cases?limit=1')).items[0]?.id as string,
      SLOW,
    ),
  }
}

async function logIn({ baseUrl }: Demo, person: Demo['admin']): Promise<Session> {
  const browser: Browser = createBrowser(baseUrl)
  const answered = await browser.logIn(person.email, person.password)
  assert.equal(answered.status, 200, `the login of ${person.email}: ${answered.key}`)
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const { status, data, key, meta } = await browser.call(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${status} ${key} ${JSON.stringify(meta)}`)
    return data
  }
  return { get: (path) => call('GET', path), send: call }
}

/** Buys of a sub-user: completed, declined, reverted at the market, and one that waits for its buyer. */
async function trade(demo: Demo, endpoint: Receiver): Promise<Ids> {
  const { merchant: access, baseUrl, sandboxUrl } = demo
  const merchant = createClient({ baseUrl, apiKey: access.apiKey })
  const control = controlOf(sandboxUrl)
  await untilStocked(merchant, control)
  await aBuyer(merchant, 'anna', '400.00')
  const supply = await stock(control, 'market_a')
  const buy = (externalId: string, token = 'accept00') =>
    buyNext(merchant, { market: 'market_a', supply, behalf: 'anna', externalId, token })
  // The first delivery is refused once, so that one has two attempts.
  endpoint.answer = (received, response) => {
    endpoint.answer = answerWith(200, {}, 'ok')
    answerWith(503, {}, 'down for a moment')(received, response)
  }
  const first = await buy('order-1001')
  const others = [await buy('order-1002'), await buy('order-1003', 'declin00')]
  for (const { receipt } of [first, ...others]) await untilEnded(merchant, receipt.id)
  const open = await buy('order-1004', 'manual00')
  await untilStatus(merchant, open.receipt.id, ['active'])
  const query = { inStock: true, minPrice: '1.00', limit: 1 }
  const [wanted] = (await merchant.get('searchMarket', { query })).items
  assert.ok(wanted)
  // It waits: nothing is for sale at that price.
  const { id: marketOrder } = await merchant.get('createMarketOrder', {
    behalf: 'anna',
    body: {
      ...{ externalId: 'order-2001', itemId: wanted.id, maxPrice: '0.50', quantity: 3 },
      tradeUrl: tradeUrl('accept00'),
    },
  })
  return { trade: first.receipt.id, externalId: 'order-1001', marketOrder }
}

/** Two withdrawals at once, out of the custody that `payInAndOut` has filled. */
async function payBatch({ merchant: { apiKey }, baseUrl }: Demo): Promise<Ids> {
  const merchant = createClient({ baseUrl, apiKey })
  const { id: batch } = await merchant.get('createPayoutBatch', {
    body: {
      externalId: 'batch-3001',
      withdrawals: [1, 2].map((n) => ({
        ...{ externalId: `payout-300${n}`, amountCents: 500 * n, chain: CHAIN, token: TOKEN },
        destination: DESTINATION,
      })),
    },
  })
  return { batch }
}

/** Deposits by token that wait, are credited and are held back; withdrawals that are paid and that wait. */
async function payInAndOut({ sandboxUrl }: Demo, merchant: Session): Promise<Ids> {
  const control = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${sandboxUrl}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.ok(response.ok, `${path}: ${await response.text()}`)
  }
  const deposit = async (): Promise<string> => {
    const quote = await merchant.send('POST', 'deposits/gateway/quote', {
      ...{ amount: '100.00', currency: 'USDT' },
    })
    const { gateway } = await merchant.get('deposits/ways')
    const [chain] = gateway.find((each: Answer) => each.currency === 'USDT').chains
    const { quoteToken } = quote
    return (await merchant.send('POST', 'deposits/gateway', { quoteToken, chain })).fundingId
  }
  const [waiting, credited, held] = [await deposit(), await deposit(), await deposit()]
  await control(`gateway/${credited}/pay`, {})
  await control(`gateway/${held}/pay`, { amount: '200000' })
  const { address } = await merchant.get('payouts/address')
  await control(`chains/${CHAIN}/faucet`, { address, token: TOKEN, amount: '900' })
  const isHeld = async (): Promise<boolean> =>
    (await merchant.get(`deposits/${held}`)).held.length > 0
  await until('a payment is held back', isHeld, SLOW)
  const isCredited = async (): Promise<boolean> =>
    (await merchant.get(`deposits/${credited}`)).deposit.status === 'completed'
  await until('a payment is credited', isCredited, SLOW)
  const hasCustody = async (): Promise<boolean> =>
    (await merchant.get('payouts/custody')).totalCents > 80_000
  await until('custody holds it', hasCustody, SLOW)
  const withdraw = async (externalId: string, amountCents: number): Promise<string> =>
    (
      await merchant.send('POST', 'payouts/withdrawals', {
        ...{ externalId, amountCents, chain: CHAIN, token: TOKEN, destination: DESTINATION },
      })
    ).id
  const withdrawal = await withdraw('payout-2001', 2500)
  const isConfirmed = async (): Promise<boolean> =>
    (await merchant.get(`payouts/withdrawals/${withdrawal}`)).withdrawal.status === 'confirmed'
  await until('the withdrawal is confirmed', isConfirmed, SLOW)
  // Above the limit of one transaction: an administrator decides.
  await withdraw('payout-2002', 60_000)
  await merchant.send('POST', 'payouts/destinations', { address: DESTINATION })
  return { waiting, held, withdrawal }
}

/** A child with an endpoint and money, which buys; one order is declined. */
async function tradeAsPartner(demo: Demo, partner: Session, endpoint: Receiver): Promise<Ids> {
  const { items } = await partner.get('partner/children?limit=1')
  const [{ id: child, email }] = items
  await partner.send('PUT', `partner/children/${child}/webhook`, { url: endpoint.url })
  await partner.send('POST', 'partner/transfers', {
    ...{ toEmail: email, amountCents: 25_000, idempotencyKey: randomUUID() },
  })
  const client = createPartnerClient({ baseUrl: demo.baseUrl, apiKey: demo.partner.childApiKey })
  const buy = async (code: string, token?: string): Promise<string> => {
    const body = buyBody(await someListing(client), token)
    const { order } = await client.get('buyListing', { body })
    await untilCode(client, order.serviceOrderId, code)
    return order.serviceOrderId
  }
  const order = await buy('COMPLETED')
  await buy('FAILED', 'declin00')
  const path = `partner/children/${child}/webhook/deliveries?limit=1&status=delivered`
  const childDelivery = await until(
    'a delivery of the child',
    async () => (await partner.get(path)).items[0]?.id as string,
    SLOW,
  )
  const [{ id: childKey }] = await partner.get(`partner/children/${child}/keys`)
  return { child, childDelivery, childKey, order }
}
