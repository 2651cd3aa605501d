// Follows an order at its provider: reads it afresh, and makes of it what it means for its deposit. A notice
// only makes an order due; money comes from this read alone.
import type { Clock } from '#infra/clock'
import type { Db, Tx } from '#infra/db'
import type { Attos } from '#kernel/decimal'
import { attos, formatDecimal, parseDecimal } from '#kernel/decimal'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { creditOf, valueOfCents } from './amounts.ts'
import type { OnDepositCase } from './case.ts'
import { type Decision, decide, EXPIRY_GRACE_MS, isLate } from './decide.ts'
import type { Deposit } from './deposit.ts'
import { gatewayView, type OrderView, onrampView } from './order-view.ts'
import { placedByGateway, placedByOnramp } from './placed.ts'
import type { CallContext, DepositCurrency, OnrampProvider, PaymentGateway, Read } from './ports.ts'
import { creditPayment, readAccountOf, reversePayment } from './store/credits.ts'
import { findDeposit, lockDeposit, moveDeposit } from './store/deposits.ts'
import { holdPayment } from './store/held.ts'
import {
  claimOrders,
  endOrder,
  noteProviderOrderId,
  type ProviderName,
  type ProviderOrder,
  placeOrder,
  scheduleLook,
} from './store/orders.ts'

export interface FollowingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly gateway: PaymentGateway | null
  readonly onramp: OnrampProvider | null
  /** US dollars for one euro in millionths; refuses SERVICE_DISABLED when it is too old. */
  currentRate(): Promise<bigint>
  readonly onCase: OnDepositCase
  /** How often an order that is not final is looked at. */
  readonly pollMs: number
  /** A provider could not be read. */
  onUnavailable(provider: ProviderName, detail: string): void
  onCredited?(provider: ProviderName, lateMs: number): void
}

const AT_ONCE = 16
/** Longer than a read of a provider with its deadline. */
const LEASE_MS = 60_000

/** Does one round for one provider; true when there may be more to do at once. */
export const createFollowOrders =
  (deps: FollowingDeps, provider: ProviderName) =>
  async (context: CallContext): Promise<boolean> => {
    const at = deps.clock.now()
    const leaseUntil = new Date(at.getTime() + LEASE_MS)
    const due = await claimOrders(deps.db, { provider, at, leaseUntil, limit: AT_ONCE })
    await Promise.all(due.map((order) => followOne(deps, order, { leaseUntil, context })))
    return due.length === AT_ONCE
  }

interface Turn {
  readonly leaseUntil: Date
  readonly context: CallContext
}

async function followOne(
  deps: FollowingDeps,
  order: ProviderOrder,
  { leaseUntil, context }: Turn,
): Promise<void> {
  const { db, clock } = deps
  const read = await readOrder(deps, order, context)
  const next = { misses: 0, leaseUntil }
  if (read.kind === 'unavailable') {
    deps.onUnavailable(order.provider, read.detail)
    const dueAt = new Date(clock.now().getTime() + Math.max(read.retryAfterMs, deps.pollMs))
    return scheduleLook(db, order.depositId, { ...next, misses: order.misses, dueAt })
  }
  if (read.value === 'absent') return missed(deps, order, leaseUntil)
  const { view, place } = read.value
  if (order.state !== 'placed') await place(db, lookAfter(clock.now(), deps.pollMs))
  if (view.providerOrderId !== null && order.providerOrderId === null) {
    await noteProviderOrderId(db, order.depositId, view.providerOrderId)
  }
  const after = await applyOrder(deps, order, view, context)
  const dueAt = after === null ? null : nextLook(after, clock.now(), deps.pollMs)
  await scheduleLook(db, order.depositId, { ...next, dueAt })
}

const lookAfter = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

interface FoundOrder {
  readonly view: OrderView
  place(db: Db, lookAt: Date): Promise<void>
}

async function readOrder(
  { clock, gateway, onramp }: FollowingDeps,
  { depositId, provider }: ProviderOrder,
  context: CallContext,
): Promise<Read<FoundOrder | 'absent'>> {
  const key = { orderId: depositId }
  const off = { kind: 'unavailable', detail: 'switched off', retryAfterMs: 0 } as const
  if (provider === 'gateway') {
    const read = await (gateway?.findOrder(key, context) ?? off)
    if (read.kind === 'unavailable' || read.value === 'absent') return read as typeof off
    const found = read.value
    const place = (db: Db, lookAt: Date): Promise<void> =>
      placeOrder(db, depositId, { ...placedByGateway(found), at: clock.now(), lookAt })
    return { kind: 'read', value: { view: gatewayView(found), place } }
  }
  const read = await (onramp?.findOrder(key, context) ?? off)
  if (read.kind === 'unavailable' || read.value === 'absent') return read as typeof off
  const found = read.value
  const place = (db: Db, lookAt: Date): Promise<void> =>
    placeOrder(db, depositId, {
      ...placedByOnramp(found),
      at: clock.now(),
      lookAt,
    })
  return { kind: 'read', value: { view: onrampView(found), place } }
}

/** The provider has no such order: of one that was being created it counts, after long and often enough. */
async function missed(
  { db, clock, gateway, onramp, onCase, pollMs }: FollowingDeps,
  order: ProviderOrder,
  leaseUntil: Date,
): Promise<void> {
  const now = clock.now()
  const misses = order.misses + 1
  if (order.state === 'placed') {
    await onCase('deposit_order_missing', { depositId: order.depositId, provider: order.provider })
    return scheduleLook(db, order.depositId, { misses, leaseUntil, dueAt: lookAfter(now, pollMs) })
  }
  const traits = (order.provider === 'gateway' ? gateway : onramp)?.traits
  const isOld =
    traits !== undefined && now.getTime() - order.askedAt.getTime() >= traits.lookUpSettleMs
  if (order.state === 'creating' && isOld && misses >= traits.absentLookUps) {
    await db.transaction(async (tx) => {
      const deposit = await lockDeposit(tx, order.depositId)
      // One more look later: an order that turns up all the same is paid all the same.
      const isEnded = await endOrder(tx, order.depositId, 'absent', lookAfter(now, DAY_MS))
      if (isEnded && deposit?.status === 'initiated') {
        const reason = 'provider_unavailable'
        await moveDeposit(tx, order.depositId, { to: 'failed', reason }, now)
      }
    })
    return
  }
  const dueAt = order.state === 'creating' ? lookAfter(now, RETRY_CREATING_MS) : null
  await scheduleLook(db, order.depositId, { misses, leaseUntil, dueAt })
}

const RETRY_CREATING_MS = 2000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WATCHED_MS = 30 * DAY_MS

/** An ended order is looked at more and more rarely: late payments and refunds come without a notice too. */
function nextLook(deposit: Deposit, now: Date, pollMs: number): Date | null {
  if (deposit.status === 'initiated' || deposit.status === 'pending') {
    const graceMs = (deposit.expiresAt?.getTime() ?? 0) + EXPIRY_GRACE_MS - now.getTime()
    return lookAfter(now, graceMs > 0 ? Math.min(pollMs, graceMs) : pollMs)
  }
  const endedMs = now.getTime() - deposit.updatedAt.getTime()
  if (endedMs > WATCHED_MS) return null
  // Of a completed one only a refund can still be seen.
  const often = deposit.status === 'completed' ? 10 : 1
  return lookAfter(now, pollMs * (endedMs < HOUR_MS ? often : endedMs < DAY_MS ? 10 : 360))
}

/** Returns the deposit as it stands afterwards. */
async function applyOrder(
  deps: FollowingDeps,
  order: ProviderOrder,
  view: OrderView,
  context: CallContext,
): Promise<Deposit | null> {
  const { db, clock, onCase } = deps
  const seen = await findDeposit(db, order.depositId)
  if (seen === null) return null
  const late = await lateRate(deps, seen, view, context)
  const usdPerEurMicros = await euroRate(deps, seen)
  const given = { rates: { late }, now: clock.now() }
  const foreseen = decide(seen, await readAccountOf(db, seen.id), view, given)
  for (const { kind, facts, heldBack } of foreseen.contradictions) {
    if (heldBack !== undefined) {
      await holdPayment(db, seen.id, order.provider, heldBack, given.now)
    }
    await onCase(kind, { depositId: seen.id, ...facts })
  }
  if (isIdle(seen, foreseen)) return seen
  if (!(await isShownTwice(deps, { order, credits: foreseen.credits }, context))) return seen
  const outcome = await db.transaction(async (tx) => {
    const deposit = await lockDeposit(tx, seen.id)
    if (deposit === null) return null
    const decision = decide(deposit, await readAccountOf(tx, seen.id), view, given)
    // Without a rate nothing in euros is credited: the next look tries again.
    if (decision.credits.length > 0 && usdPerEurMicros === 'unknown') return null
    const rate = usdPerEurMicros === 'unknown' ? null : usdPerEurMicros
    return take(
      tx,
      { deposit, decision, provider: order.provider, usdPerEurMicros: rate },
      given.now,
    )
  })
  if (outcome?.isUnclaimed) await onCase('deposit_unclaimed', { depositId: seen.id })
  if (outcome !== null && outcome.owed > 0n) {
    await onCase('deposit_owed', { depositId: seen.id, owedCents: String(outcome.owed) })
  }
  for (const payment of outcome?.isCredited ? view.payments : []) {
    deps.onCredited?.(order.provider, clock.now().getTime() - payment.paidAt.getTime())
  }
  return findDeposit(db, seen.id)
}

/** US dollars 1,000.00: so much is credited only when two reads show the same. */
const LARGE = valueOfCents(cents(1_000_00n))

/** Reads the order once more before much is credited: a single false answer brings nothing. */
async function isShownTwice(
  deps: FollowingDeps,
  { order, credits }: { readonly order: ProviderOrder; readonly credits: Decision['credits'] },
  context: CallContext,
): Promise<boolean> {
  if (credits.reduce((sum, { value }) => sum + value, 0n) < LARGE) return true
  const again = await readOrder(deps, order, context)
  const payments =
    again.kind === 'read' && again.value !== 'absent' ? again.value.view.payments : []
  const differing = credits.filter(
    ({ settlementRef, amount }) =>
      !payments.some(
        (payment) =>
          payment.settlementRef === settlementRef && parseDecimal(payment.amountToken) === amount,
      ),
  )
  if (differing.length === 0) return true
  const settlementRefs = differing.map(({ settlementRef }) => settlementRef)
  if (again.kind === 'read') {
    const facts = { depositId: order.depositId, problem: 'two reads differ', settlementRefs }
    await deps.onCase('deposit_contradiction', facts)
  }
  return false
}

const isIdle = (deposit: Deposit, { credits, reversals, isSeen, to }: Decision): boolean =>
  credits.length + reversals.length === 0 &&
  !isSeen &&
  to.status === deposit.status &&
  to.substate === deposit.substate

/** Null where no payment needs it, or the gateway does not name it now. */
async function lateRate(
  { gateway }: FollowingDeps,
  deposit: Deposit,
  view: OrderView,
  context: CallContext,
): Promise<Attos | null> {
  if (deposit.method !== 'gateway' || deposit.payUsd === null || deposit.token === null) return null
  const isNeeded = view.payments.some(
    (payment) => payment.valueUsdMicros === null && isLate(payment, deposit),
  )
  if (!isNeeded || gateway === null) return null
  const currency = deposit.token as DepositCurrency
  const read = await gateway.quote({ usd: deposit.payUsd, currency }, context)
  return read.kind === 'read' ? attos(read.value.usdPerTokenE18) : null
}

async function euroRate(
  { currentRate }: FollowingDeps,
  { currency }: Deposit,
): Promise<bigint | null | 'unknown'> {
  if (currency === 'USD') return null
  try {
    return await currentRate()
  } catch (error) {
    if (error instanceof Refusal) return 'unknown'
    throw error
  }
}

interface Taking {
  readonly deposit: Deposit
  readonly decision: Decision
  readonly provider: ProviderName
  readonly usdPerEurMicros: bigint | null
}

/** Steps, postings and events of one read, in one commit. */
async function take(
  tx: Tx,
  { deposit, decision, provider, usdPerEurMicros }: Taking,
  at: Date,
): Promise<{ isCredited: boolean; isUnclaimed: boolean; owed: bigint }> {
  const { id } = deposit
  if (decision.isSeen) {
    await moveDeposit(tx, id, { to: 'pending', substate: decision.to.substate }, at)
  }
  let before = await readAccountOf(tx, id)
  let isUnclaimed = false
  for (const { settlementRef, amount, value } of decision.credits) {
    const parts = creditOf(before, value, deposit.method === 'gateway' ? deposit.feeBps : 0)
    const rateSources = [
      `${provider}:${deposit.usdPerToken === null ? 'at par' : formatDecimal(deposit.usdPerToken)}`,
    ]
    const credit = { provider, settlementRef, amount, value, rateSources, usdPerEurMicros }
    const done = await creditPayment(tx, id, { ...credit, ...parts }, at)
    isUnclaimed ||= done.isUnclaimed
    before = await readAccountOf(tx, id)
  }
  await moveDeposit(tx, id, { ...decision.to, to: decision.to.status }, at)
  let owed = 0n
  for (const reversal of decision.reversals) {
    const refund = { provider, ...reversal, to: 'refunded', reason: null } as const
    owed += (await reversePayment(tx, id, refund, at)).owed
  }
  return { isCredited: decision.credits.length > 0, isUnclaimed, owed }
}
