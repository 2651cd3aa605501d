// The outcomes of a trade with one item, and what must then be true of money, books and events.
import assert from 'node:assert/strict'
import type { Trade } from '@tradepost/contract'
import type { Client } from './client.ts'
import type { SandboxListing } from './sandbox.ts'
import { balanceOf, centsOf, onlyItem } from './trading.ts'
import { until } from './until.ts'
import type { WebhookEvent, Webhooks } from './webhooks.ts'

export interface Outcome {
  readonly status: Trade['status']
  readonly error?: string
  readonly revertedBy?: 'user' | 'supplier'
  /** What the buyer loses of the price; without it the buyer loses nothing. */
  readonly penalty?: 'two percent' | 'everything'
  /** Event types, in order; a word in brackets may be missing. */
  readonly events: string
}

const refunded = (status: Trade['status'], error: string, events: string): Outcome => ({
  status,
  error,
  events: `initiated ${events} refunded`,
})

export const COMPLETED: Outcome = {
  status: 'completed',
  events: 'initiated pending active hold completed settled',
}
export const DECLINED: Outcome = {
  ...refunded('declined', 'OFFER_NOT_ACCEPTED', 'pending active declined'),
  penalty: 'two percent',
}
export const revertedBy = (by: 'user' | 'supplier'): Outcome => ({
  status: 'reverted',
  revertedBy: by,
  ...(by === 'user' ? { penalty: 'everything' as const } : {}),
  events: 'initiated pending active hold reverted refunded',
})
/** The supplier refused, or nothing was placed: the order never existed. */
export const refusedWith = (error: string): Outcome => refunded('failed', error, 'failed')
/** The order existed, and the seller gave up. */
export const givenUp = (events: string): Outcome => refunded('failed', 'PURCHASE_FAILED', events)

const HOUSE_FEE_BPS = 500
const MERCHANT_FEE_BPS = 200
const DECLINE_PENALTY_BPS = 200

const halfUp = (cents: number, bps: number): number => Math.floor((cents * bps + 5000) / 10_000)

/** What a sub-user of the demo merchant pays, in cents of a dollar: sourcing and both fees. */
function costOf({ priceMills }: SandboxListing): {
  house: number
  merchant: number
  price: number
} {
  const sourcing = Math.ceil(priceMills / 10)
  const house = halfUp(sourcing, HOUSE_FEE_BPS)
  const merchant = halfUp(sourcing, MERCHANT_FEE_BPS)
  return { house, merchant, price: sourcing + house + merchant }
}

export interface Ended {
  readonly merchant: Client
  readonly webhooks: Webhooks
  readonly trade: Trade
  readonly listing: SandboxListing
  /** A sub-user that has bought nothing else. */
  readonly behalf: string
  readonly fundedCents: number
}

/** Holds an ended trade against what it should have come to: to the cent, and to the last event. */
export async function checkOutcome(ended: Ended, wanted: Outcome): Promise<void> {
  const { merchant, webhooks, trade, listing, behalf, fundedCents } = ended
  const cost = costOf(listing)
  const lost = penaltyCents(wanted, cost.price)
  const item = onlyItem(trade)
  assert.equal(trade.status, wanted.status, JSON.stringify(trade))
  assert.equal(item.status, wanted.status)
  assert.equal(item.error, wanted.error, item.errorDetail)
  assert.equal(trade.error, wanted.error)
  assert.equal(trade.revertedBy, wanted.revertedBy)
  assert.equal(centsOf(trade.totalPrice), cost.price, 'sourcing, service fee and merchant fee')
  assert.equal(centsOf(item.price), cost.price)
  const isCompleted = wanted.status === 'completed'
  assert.deepEqual(trade.summary, {
    total: 1,
    delivered: isCompleted ? 1 : 0,
    completed: isCompleted ? 1 : 0,
    failed: isCompleted ? 0 : 1,
  })
  assert.deepEqual(
    item.refund,
    isCompleted
      ? undefined
      : { amount: (cost.price - lost) / 100, penalty: lost / 100, buyerFault: lost > 0 },
  )
  assert.equal(trade.settledAt !== undefined, isCompleted)

  const spent = isCompleted ? cost.price : lost
  assert.equal(centsOf(await balanceOf(merchant, behalf)), fundedCents - spent, 'the wallet')
  await checkLedger(merchant, behalf, fundedCents - spent)
  await checkEvents(webhooks, trade, wanted, { ...cost, lost })
}

const penaltyCents = ({ penalty }: Outcome, price: number): number => {
  if (penalty === 'everything') return price
  return penalty === 'two percent' ? halfUp(price, DECLINE_PENALTY_BPS) : 0
}

async function checkLedger(merchant: Client, behalf: string, balance: number): Promise<void> {
  const { items } = await merchant.get('listWalletLedger', { behalf, query: { limit: 100 } })
  const sum = items.reduce((total, { amount }) => total + centsOf(amount), 0)
  assert.equal(sum, balance, 'the sum of the ledger’s rows is the balance')
}

async function checkEvents(
  webhooks: Webhooks,
  trade: Trade,
  wanted: Outcome,
  money: { house: number; merchant: number; price: number; lost: number },
): Promise<void> {
  const pattern = new RegExp(`^${wanted.events.replace(/\[(\w+)\] /g, '($1 )?')}$`)
  const events = await until(
    `trade ${trade.id} has the events "${wanted.events}"`,
    () => {
      const types = webhooks.typesOf(trade.id).join(' ')
      if (pattern.test(types)) return webhooks.of(trade.id)
      throw new Error(`it has "${types}"`)
    },
    { everyMs: 100 },
  )
  const of = (type: string): WebhookEvent | undefined =>
    events.find((event) => event.type === `trade.${type}`)
  if (wanted.status === 'completed') {
    const settlement = { houseFeeCents: money.house, merchantFeeCents: money.merchant }
    assert.deepEqual(of('completed')?.data.settlement, settlement)
    assert.deepEqual(of('settled')?.data.settlement, settlement)
  } else {
    const refund = of('refunded')?.data.refund
    assert.equal(refund?.itemId, onlyItem(trade).id)
    assert.equal(centsOf(refund?.refunded ?? -1), money.price - money.lost)
    assert.equal(centsOf(refund?.penalty ?? -1), money.lost)
    assert.equal(refund?.buyerFault, money.lost > 0)
  }
}
