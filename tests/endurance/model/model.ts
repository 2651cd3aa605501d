// What must be true of accounts and trades, whatever happened to them: a second opinion that knows nothing
// of how the service does it. Amounts are integer cents of the account's currency.
import assert from 'node:assert/strict'
import type { Trade } from '@tradepost/contract'
import { centsOf } from '../../support/trading.ts'

export type Item = Trade['items'][number]

/** A way in which an item may end; of a reversal it matters whose it was. */
export type End =
  | 'completed'
  | 'declined'
  | 'failed'
  | 'canceled'
  | 'reverted:user'
  | 'reverted:supplier'

export interface ModelAccount {
  readonly name: string
  readonly currency: 'USD' | 'EUR'
  /** What was put in less what was taken out by hand. */
  fundedCents: number
}

export interface ModelTrade {
  readonly id: string
  readonly externalId: string
  readonly account: string
  readonly type: 'buy' | 'sell'
  readonly token: string
  /** What was asked for, so that it can be asked again. */
  readonly body: unknown
  /** A quick-buy's limit for each unit; prices of other trades never change. */
  readonly maxPriceCents: number | null
  readonly itemCount: number
  /** What may become of its items by all that was done to it. */
  readonly ends: Set<End>
  /** A kill or a cancel met it on its way: it may fail without a supplier's fault. */
  isDisturbed: boolean
  last: Trade | null
}

export interface Model {
  readonly accounts: Map<string, ModelAccount>
  readonly trades: Map<string, ModelTrade>
  /** Scripted words that make a purchase fail, and those that may. */
  failingWords: number
  /** A market was away: buys of it may be refused until it is back in sale. */
  marketsWereAway: boolean
  nextId: number
}

export const newModel = (accounts: readonly ModelAccount[]): Model => ({
  accounts: new Map(accounts.map((account) => [account.name, account])),
  trades: new Map(),
  failingWords: 0,
  marketsWereAway: false,
  nextId: 1,
})

/** What the service says at one moment at which nothing moved. */
export interface View {
  readonly trades: readonly Trade[]
  readonly balancesCents: ReadonlyMap<string, number>
}

/** Merchant's fee on sells of sub-users in the demo data, and what a buyer's fault costs. */
const SELL_FEE_BPS = 200
const PENALTY_BPS = 200
const shareOf = (cents: number, bps: number): number => Math.floor((cents * bps + 5000) / 10_000)

/** Holds everything that was seen against everything that is known. */
export function agree(model: Model, view: View): void {
  const seen = new Map(view.trades.map((trade) => [trade.id, trade]))
  assert.deepEqual([...seen.keys()].sort(), [...model.trades.keys()].sort(), 'these trades exist')
  for (const trade of model.trades.values()) {
    const now = seen.get(trade.id)
    assert.ok(now)
    agreeOnTrade(trade, now)
    trade.last = now
  }
  for (const account of model.accounts.values()) {
    assert.equal(
      view.balancesCents.get(account.name),
      expectedBalance(model, account),
      `the balance of ${account.name} is what was put in less what its trades cost`,
    )
  }
}

function agreeOnTrade(trade: ModelTrade, now: Trade): void {
  const about = `${trade.type} ${trade.externalId} (${trade.token})`
  assert.equal(now.items.length, trade.itemCount, `${about} has its items`)
  assert.equal(
    centsOf(now.totalPrice),
    now.items.reduce((sum, item) => sum + centsOf(item.price), 0),
    `${about}: the total is the sum of the items`,
  )
  assert.equal(now.status, statusOf(now.items), `${about}: its status follows from its items`)
  for (const item of now.items) {
    const before = trade.last?.items.find(({ id }) => id === item.id)
    agreeOnItem(trade, item, { before, revertedBy: now.revertedBy, about })
  }
}

const RANK = { initiated: 0, pending: 1, active: 2, hold: 3 } as const
const rankOf = (status: string): number => RANK[status as keyof typeof RANK] ?? 9
/** Of a trade that is over: the first of these that any item has. */
const ENDS_IN_ORDER = ['completed', 'reverted', 'declined', 'canceled', 'failed']

function statusOf(items: readonly Item[]): string {
  const open = items.filter(({ status }) => rankOf(status) < 9)
  if (open.length > 0) {
    return open.reduce((least, one) => (rankOf(one.status) < rankOf(least.status) ? one : least))
      .status
  }
  return ENDS_IN_ORDER.find((end) => items.some(({ status }) => status === end)) ?? 'none'
}

function agreeOnItem(
  trade: ModelTrade,
  item: Item,
  {
    before,
    revertedBy,
    about,
  }: { before: Item | undefined; revertedBy: Trade['revertedBy']; about: string },
): void {
  if (before) {
    assert.ok(rankOf(item.status) >= rankOf(before.status), `${about}: states move forward`)
    if (rankOf(before.status) === 9) assert.deepEqual(item, before, `${about}: an end is an end`)
  }
  if (trade.maxPriceCents !== null) {
    assert.ok(centsOf(item.price) <= trade.maxPriceCents, `${about}: never above the limit`)
  } else if (before) assert.equal(item.price, before.price, `${about}: a price stays`)
  if (rankOf(item.status) < 9) {
    assert.equal(item.refund, undefined, `${about}: nothing is refunded before the end`)
    return
  }
  const end = (item.status === 'reverted' ? `reverted:${revertedBy}` : item.status) as End
  // A trade of several items says only once whose reversal it was.
  assert.ok(
    trade.ends.has(end) || (end === 'failed' && trade.isDisturbed),
    `${about} may end as ${[...trade.ends]}, not as ${end} (${item.error}: ${item.errorDetail})`,
  )
  if (trade.type === 'sell') {
    assert.equal(item.refund, undefined, `${about}: a sell refunds nothing`)
    return
  }
  const refund = refundOf(centsOf(item.price), end)
  assert.deepEqual(
    item.refund ? [centsOf(item.refund.amount), centsOf(item.refund.penalty)] : null,
    refund && [refund.amount, refund.penalty],
    `${about}: refunded to the cent`,
  )
}

/** Null: nothing is refunded, because it was delivered. */
function refundOf(price: number, end: End): { amount: number; penalty: number } | null {
  if (end === 'completed') return null
  if (end === 'reverted:user') return { amount: 0, penalty: price }
  const penalty = end === 'declined' ? shareOf(price, PENALTY_BPS) : 0
  return { amount: price - penalty, penalty }
}

function expectedBalance(model: Model, account: ModelAccount): number {
  let balance = account.fundedCents
  for (const { type, account: owner, last } of model.trades.values()) {
    if (owner !== account.name) continue
    for (const item of last?.items ?? []) {
      const price = centsOf(item.price)
      if (type === 'buy') balance += -price + centsOf(item.refund?.amount ?? 0)
      else if (item.status === 'completed') balance += price - shareOf(price, SELL_FEE_BPS)
    }
  }
  return balance
}

/** The events that a trade must have caused when it is over, by type without `trade.`. */
export function agreeOnEvents(trade: ModelTrade, events: readonly string[]): void {
  const about = `${trade.type} ${trade.externalId} has "${events.join(' ')}"`
  const last = trade.last
  assert.ok(last && rankOf(last.status) === 9, `${about} before it was over`)
  const statuses = events.filter((type) => type !== 'refunded' && type !== 'settled')
  assert.equal(statuses[0], 'initiated', about)
  assert.equal(statuses.at(-1), last.status, about)
  for (const [i, status] of statuses.entries()) {
    if (i > 0) assert.ok(rankOf(status) > rankOf(statuses[i - 1] as string), `${about}: in order`)
  }
  const refunds = last.items.filter(({ refund }) => refund !== undefined).length
  assert.equal(events.filter((type) => type === 'refunded').length, refunds, `${about}: refunds`)
  const settled = last.status === 'completed' ? 1 : 0
  assert.equal(events.filter((type) => type === 'settled').length, settled, `${about}: settled`)
  if (settled === 1) {
    assert.ok(events.indexOf('settled') > events.indexOf('completed'), `${about}: settled last`)
  }
}

/** Failures need a cause: a supplier that was made to fail, or a disturbance on the way. */
export function agreeOnFailures(model: Model): void {
  const unexplained = [...model.trades.values()]
    .filter(({ isDisturbed }) => !isDisturbed)
    .flatMap(({ last }) => last?.items ?? [])
    .filter(({ status }) => status === 'failed')
  assert.ok(
    unexplained.length <= model.failingWords,
    `${unexplained.length} items failed, and suppliers were made to fail ${model.failingWords} times`,
  )
}
