// Follows an order at its provider: reads it afresh, and makes of it what it means for its deposit. A notice
// only makes an order due; money comes from this read alone.
import { gathered } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { allEnded } from '#kernel/all-ended'
import type { Attos } from '#kernel/decimal'
import { attos, formatDecimal, parseDecimal } from '#kernel/decimal'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { creditOf, valueOfCents } from './amounts.ts'
import type { OnDepositCase } from './case.ts'
import { type Decision, decide, EXPIRY_GRACE_MS, isLate, type PlannedCredit } from './decide.ts'
import type { Deposit, ProviderName } from './deposit.ts'
import { gatewayView, type OrderView, onrampView } from './order-view.ts'
import { type Placed, placedByGateway, placedByOnramp } from './placed.ts'
import type {
  CallContext,
  DepositCurrency,
  OnrampOrder,
  OnrampProvider,
  PaymentGateway,
  Read,
} from './ports.ts'
import { type Applied, type AppliedRead, applyReads } from './store/credits.ts'
import {
  type DepositAccount,
  type DepositSnapshot,
  readSnapshot,
} from './store/deposit-snapshot.ts'
import { lockDeposit, moveDeposit, noteSeen } from './store/deposits.ts'
import { holdPayment } from './store/held.ts'
import {
  type ClaimedOrder,
  claimOrders,
  endOrder,
  noteProviderOrderId,
  type ProviderOrder,
  placeOrders,
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
  /** The provider shows an order again that was reported as missing. */
  onOrderFound(depositId: string): Promise<void> | void
  /** How often an order that is not final is looked at. */
  readonly pollMs: number
  /** A provider could not be read. */
  onUnavailable(provider: ProviderName, detail: string): void
  onCredited?(provider: ProviderName, lateMs: number): void
}

const AT_ONCE = 32
/** Longer than a read of a provider with its deadline. */
const LEASE_MS = 60_000

/** Does one round for one provider; true when there may be more to do at once. */
export function createFollowOrders(
  given: FollowingDeps,
  provider: ProviderName,
): (context: CallContext) => Promise<boolean> {
  const deps: RoundDeps = {
    ...given,
    apply: gathered({ keyOf: () => provider, write: (reads) => applyAll(given, reads) }),
  }
  return async (context) => {
    const at = deps.clock.now()
    const leaseUntil = new Date(at.getTime() + LEASE_MS)
    const due = await claimOrders(deps.db, { provider, at, leaseUntil, limit: AT_ONCE })
    await allEnded(due.map((claimed) => followOne(deps, claimed, { leaseUntil, context })))
    return due.length === AT_ONCE
  }
}

/** What only an operator can resolve becomes a case in the same commit. */
async function applyAll(
  { db, onCase }: FollowingDeps,
  reads: readonly AppliedRead[],
): Promise<Applied[]> {
  const { applied, opened } = await db.transaction(async (tx) => {
    const opened: (() => void)[] = []
    const applied = await applyReads(tx, reads)
    for (const [i, { depositId }] of reads.entries()) {
      const { isUnclaimed = false, owed = 0n } = applied[i] ?? {}
      if (isUnclaimed) opened.push(await onCase.within(tx, 'deposit_unclaimed', { depositId }))
      if (owed > 0n) {
        const details = { depositId, owedCents: String(owed) }
        opened.push(await onCase.within(tx, 'deposit_owed', details))
      }
    }
    return { applied, opened }
  })
  for (const announce of opened) announce()
  return applied
}

interface RoundDeps extends FollowingDeps {
  /** In one commit with the other reads that come at the same time. */
  apply(read: AppliedRead): Promise<Applied>
}

interface Turn {
  readonly leaseUntil: Date
  readonly context: CallContext
}

async function followOne(
  deps: RoundDeps,
  { order, snapshot }: ClaimedOrder,
  turn: Turn,
): Promise<void> {
  const { db, clock, pollMs } = deps
  const { leaseUntil, context } = turn
  const read = await readOrder(deps, order, context)
  if (read.kind === 'unavailable') {
    deps.onUnavailable(order.provider, read.detail)
    const dueAt = lookAfter(clock.now(), Math.max(read.retryAfterMs, pollMs))
    return scheduleLook(db, order.depositId, { misses: order.misses, leaseUntil, dueAt })
  }
  if (read.value === 'absent') return missed(deps, order, leaseUntil)
  const { view, placed } = read.value
  const isPlaced = order.state === 'placed'
  if (isPlaced && isMissing(deps, order)) await deps.onOrderFound(order.depositId)
  if (!isPlaced) {
    const { id, accountId } = snapshot.deposit
    await placeOrders(db, [
      { depositId: id, accountId, placed: placed(), at: clock.now(), look: null },
    ])
  }
  if (view.providerOrderId !== null && order.providerOrderId === null) {
    await noteProviderOrderId(db, order.depositId, view.providerOrderId)
  }
  await applyOrder(deps, { order, snapshot: isPlaced ? snapshot : null }, { view, ...turn })
}

const lookAfter = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

interface FoundOrder {
  readonly view: OrderView
  placed(): Placed
}

async function readOrder(
  { gateway, onramp }: FollowingDeps,
  order: ProviderOrder,
  context: CallContext,
): Promise<Read<FoundOrder | 'absent'>> {
  const key = { orderId: order.depositId }
  const off = { kind: 'unavailable', detail: 'switched off', retryAfterMs: 0 } as const
  if (order.provider === 'gateway') {
    const read = await (gateway?.findOrder(key, context) ?? off)
    if (read.kind === 'unavailable' || read.value === 'absent') return read as typeof off
    const found = read.value
    return {
      kind: 'read',
      value: { view: gatewayView(found), placed: () => placedByGateway(found) },
    }
  }
  const read = await (onramp?.findOrder(key, context) ?? off)
  if (read.kind === 'unavailable') return read
  const found = read.value === 'absent' ? notBegun(order) : read.value
  if (found === null) return { kind: 'read', value: 'absent' }
  return { kind: 'read', value: { view: onrampView(found), placed: () => placedByOnramp(found) } }
}

/** A card order is its provider's only once its payer has begun; null for one that was there before. */
const notBegun = ({ depositId, state, providerOrderId }: ProviderOrder): OnrampOrder | null =>
  state === 'placed' && providerOrderId === null
    ? {
        ...{ orderId: depositId, recognitionId: depositId, providerOrderId, state: 'created' },
        ...{ detail: null, payments: [], refunds: [] },
      }
    : null

/** So many look-ups in a row have not shown it: fewer may be the provider's own trouble. */
const isMissing = (
  { gateway, onramp }: FollowingDeps,
  { provider, misses }: Pick<ProviderOrder, 'provider' | 'misses'>,
): boolean =>
  misses >= ((provider === 'gateway' ? gateway : onramp)?.traits.absentLookUps ?? Infinity)

/** The provider has no such order: of one that was being created it counts, after long and often enough. */
async function missed(deps: FollowingDeps, order: ProviderOrder, leaseUntil: Date): Promise<void> {
  const { db, clock, gateway, onramp, onCase, pollMs } = deps
  const { depositId, provider } = order
  const now = clock.now()
  const misses = order.misses + 1
  if (order.state === 'placed') {
    if (isMissing(deps, { provider, misses })) {
      await onCase('deposit_order_missing', { depositId, provider })
    }
    return scheduleLook(db, depositId, { misses, leaseUntil, dueAt: lookAfter(now, pollMs) })
  }
  const traits = (provider === 'gateway' ? gateway : onramp)?.traits
  const isOld =
    traits !== undefined && now.getTime() - order.askedAt.getTime() >= traits.lookUpSettleMs
  if (order.state === 'creating' && isOld && misses >= traits.absentLookUps) {
    await db.transaction(async (tx) => {
      const deposit = await lockDeposit(tx, depositId)
      const isEnded = await endOrder(tx, depositId, 'absent', nextSearch(order, now))
      if (isEnded && deposit?.status === 'initiated') {
        const reason = 'provider_unavailable'
        await moveDeposit(tx, depositId, { to: 'failed', reason }, now)
      }
    })
    return
  }
  const dueAt =
    order.state === 'creating' ? lookAfter(now, RETRY_CREATING_MS) : nextSearch(order, now)
  await scheduleLook(db, depositId, { misses, leaseUntil, dueAt })
}

/**
 * An order that is not shown may turn up all the same, and is paid then: it is looked for once more whenever
 * it has been waited for twice as long, for a day.
 */
function nextSearch({ state, askedAt }: ProviderOrder, now: Date): Date | null {
  const waitedMs = now.getTime() - askedAt.getTime()
  if (state === 'refused' || waitedMs > DAY_MS) return null
  return lookAfter(now, Math.max(waitedMs, RETRY_CREATING_MS))
}

const RETRY_CREATING_MS = 2000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WATCHED_MS = 30 * DAY_MS

/** An ended order is looked at more and more rarely: late payments and refunds come without a notice too. */
function nextLook(
  deposit: Pick<Deposit, 'status' | 'expiresAt' | 'updatedAt'>,
  now: Date,
  pollMs: number,
): Date | null {
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

interface Look extends Turn {
  readonly view: OrderView
}

/** A deposit that changes so often while one read is applied waits for the end of its lease. */
const DECISIONS = 5

/** Decides upon the deposit as it stood, and once more whenever it has changed meanwhile. */
async function applyOrder(
  deps: RoundDeps,
  { order, snapshot }: { readonly order: ProviderOrder; readonly snapshot: DepositSnapshot | null },
  look: Look,
): Promise<void> {
  let seen = snapshot
  for (let decision = 0; decision < DECISIONS; decision++) {
    seen ??= await readSnapshot(deps.db, order.depositId)
    if (seen === null || (await applyTo(deps, { order, snapshot: seen }, look))) return
    seen = null
  }
}

/** False when the deposit is no longer as it was seen: nothing was applied. */
async function applyTo(
  deps: RoundDeps,
  { order, snapshot: { deposit, account, version } }: ClaimedOrder,
  { view, context, leaseUntil }: Look,
): Promise<boolean> {
  const { db, clock, pollMs } = deps
  const late = await lateRate(deps, deposit, view, context)
  const euro = await euroRate(deps, deposit)
  const now = clock.now()
  const decision = decide(deposit, account, view, { rates: { late }, now })
  await reportContradictions(deps, order, decision, now)
  const { credits } = decision
  if (
    isIdle(deposit, decision) ||
    // Without a rate nothing in euros is credited: the next look tries again.
    (credits.length > 0 && euro === 'unknown') ||
    !(await isShownTwice(deps, { order, credits }, context))
  ) {
    await noteSoFar(deps, deposit, decision, now)
    const dueAt = nextLook(deposit, now, pollMs)
    await scheduleLook(db, deposit.id, { misses: 0, leaseUntil, dueAt })
    return true
  }
  const status = decision.reversals.length > 0 ? 'refunded' : decision.to.status
  const applied = await deps.apply({
    ...{ depositId: deposit.id, accountId: deposit.accountId, version, provider: order.provider },
    ...{ at: now, leaseUntil },
    isPaymentSeen: decision.isSeen,
    credits: inCents(deposit, account, credits),
    rateSources: [rateSourceOf(order.provider, deposit)],
    usdPerEurMicros: euro === 'unknown' ? null : euro,
    ...{ to: decision.to, reversals: decision.reversals },
    dueAt: nextLook({ ...deposit, status, updatedAt: now }, now, pollMs),
  })
  if (applied === null) return false
  await noteSoFar(deps, deposit, decision, now)
  for (const { paidAt } of credits.length > 0 ? view.payments : []) {
    deps.onCredited?.(order.provider, clock.now().getTime() - paidAt.getTime())
  }
  return true
}

async function noteSoFar(
  { db }: FollowingDeps,
  { id }: Deposit,
  { seen }: Decision,
  at: Date,
): Promise<void> {
  if (seen !== null) await noteSeen(db, id, seen, at)
}

async function reportContradictions(
  { db, onCase }: FollowingDeps,
  { depositId, provider }: ProviderOrder,
  { contradictions }: Decision,
  at: Date,
): Promise<void> {
  for (const { kind, details, heldBack } of contradictions) {
    if (heldBack !== undefined) await holdPayment(db, depositId, provider, heldBack, at)
    await onCase(kind, { depositId, ...details })
  }
}

/** Each credit with what it adds to the deposit in US cents, after those before it. */
function inCents(
  { method, feeBps }: Deposit,
  account: DepositAccount,
  credits: readonly PlannedCredit[],
) {
  let { value, net, fee } = account
  return credits.map((credit) => {
    const parts = creditOf({ value, net, fee }, credit.value, method === 'gateway' ? feeBps : 0)
    value += credit.value
    net = cents(net + parts.net)
    fee = cents(fee + parts.fee)
    return { ...credit, ...parts }
  })
}

const rateSourceOf = (provider: ProviderName, { usdPerToken }: Deposit): string =>
  `${provider}:${usdPerToken === null ? 'at par' : formatDecimal(usdPerToken)}`

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
    const details = { depositId: order.depositId, problem: 'two reads differ', settlementRefs }
    await deps.onCase('deposit_contradiction', details)
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
