// Reconciling: a supplier's statement is read, held against our orders and items, and its orders against
// our account there. What does not agree becomes a case; what agrees again is cleared.

import {
  type AccountRef,
  type CallContext,
  expediteItems,
  type HeldOrder,
  listHeldOrders,
  MAIN,
  type Market,
} from '#buying'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import { newId } from '#kernel/id'
import {
  type Baseline,
  type Bounds,
  costBetween,
  isDoubted,
  judgeBaseline,
  type Verdict,
} from './baseline.ts'
import { type Finding, itemSubject, marketSubject } from './case.ts'
import { COMPARED_KINDS, type Comparison, compare } from './compare.ts'
import { nameLostOrders, resolveAdoptedSince } from './lost-orders.ts'
import type { StatementLine, Statements } from './ports.ts'
import { type ReportCase, reportEach } from './report.ts'
import { findBaseline, saveBaseline } from './store/baselines.ts'
import { clearCases, clearFalls, listMissingItems, listUnclearedCases } from './store/cases.ts'

export interface ReconcilingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly market: Pick<Market, 'id' | 'account' | 'traits' | 'lookUp' | 'balance'>
  readonly statements: Statements
  /** Opens cases that the comparison found, and those that the baseline of our account shows. */
  readonly reportStatement: ReportCase
  readonly reportBalance: ReportCase
  readonly absent: AbsentOrders
}

/**
 * The items, by the scope of the window, whose orders the last comparison found nowhere. What the next one
 * does not find either is missing: a market that hides its orders for a moment loses none.
 */
export type AbsentOrders = Map<string, ReadonlySet<string>>

export interface Window {
  /** Names its baseline: windows of different lengths count different orders. */
  readonly scope: string
  readonly lengthMs: number
}

export type Reconciled =
  | {
      readonly kind: 'read'
      readonly lines: number
      readonly findings: number
      /** False: it was cut, or rows of it could not be read. What it lacks was not compared. */
      readonly isWhole: boolean
      /** `unsteady`: orders are lacking in what was read: nothing is known of the account. */
      readonly baseline: Verdict['kind'] | 'first' | 'unsteady' | 'unavailable'
    }
  | { readonly kind: 'unavailable'; readonly detail: string }

/** Once the signal has come, what is still to be read is `unavailable`. */
export async function reconcile(
  deps: ReconcilingDeps,
  window: Window,
  signal?: AbortSignal,
): Promise<Reconciled> {
  const { db, clock, log, market, statements, reportStatement } = deps
  const askedAt = clock.now()
  const from = new Date(askedAt.getTime() - window.lengthMs)
  const context: CallContext = { requestId: newId(), ...(signal && { signal }) }
  const statement = await statements.read(from, context)
  if (statement.kind === 'unavailable') return statement
  const { lines } = statement
  // After the statement: an intent is committed before its call, so every line of ours has its order here.
  const customIds = lines.flatMap(({ customId }) => (customId === null ? [] : [customId]))
  const orders = await listHeldOrders(db, { ...refOf(market), sentSince: from, customIds })
  const { traits } = statements
  const compared = compare({ market: market.id, ...statement, from, askedAt, traits }, orders)
  await expediteItems(db, compared.endedInHold, clock.now())
  const unlisted = [...compared.unlisted, ...(await stillMissing(deps, orders, compared))]
  const missing = await missingOf(deps, { unlisted, scope: window.scope }, context)
  const named = await nameLostOrders(db, compared.findings)
  const findings = [...named, ...missing.findings]
  await reportEach({ report: reportStatement, log }, findings)
  await resolveAdoptedSince(deps, named)
  await clearOthers(deps, [...compared.examined, ...missing.examined], findings)
  const { lacking } = compared
  const read = { lines, orders, lacking, from, context }
  const baseline = statement.isWhole ? await checkBaseline(deps, window, read) : 'unsteady'
  const { isWhole } = statement
  return { kind: 'read', lines: lines.length, findings: findings.length, isWhole, baseline }
}

const refOf = ({ id, account }: Pick<Market, 'id' | 'account'>): AccountRef => ({
  market: id,
  account,
})

/** Orders with an open case that no statement shows, because it is cut before them: a look-up settles it. */
async function stillMissing(
  { db, market }: ReconcilingDeps,
  orders: readonly HeldOrder[],
  { examined, unlisted }: Comparison,
): Promise<HeldOrder[]> {
  const itemIds = new Set(await listMissingItems(db, market.id))
  const seen = new Set(examined)
  const isSeen = (order: HeldOrder): boolean =>
    seen.has(itemSubject(order.itemId, market.id).name) || unlisted.includes(order)
  return orders.filter((order) => itemIds.has(order.itemId) && !isSeen(order))
}

/**
 * An order that a statement does not list is missing when a look-up does not know it either, in two
 * comparisons in a row.
 */
async function missingOf(
  { market, absent }: ReconcilingDeps,
  { unlisted, scope }: { readonly unlisted: readonly HeldOrder[]; readonly scope: string },
  context: CallContext,
): Promise<{ readonly findings: Finding[]; readonly examined: string[] }> {
  const findings: Finding[] = []
  const examined: string[] = []
  const before = absent.get(scope)
  const now = new Set<string>()
  absent.set(scope, now)
  const { lookUpBatch } = market.traits
  for (let at = 0; at < unlisted.length; at += lookUpBatch) {
    const batch = unlisted.slice(at, at + lookUpBatch)
    const queries = batch.map(({ customId, orderId }) => ({
      customId,
      orderId,
      offerSeen: true,
      acceptanceSeen: true,
    }))
    const answer = await market.lookUp(queries, context)
    if (answer.kind === 'unavailable') break
    for (const { customId, itemId, orderId } of batch) {
      const update = answer.orders.get(customId)
      if (update === undefined) continue
      const subject = itemSubject(itemId, market.id)
      if (update === 'absent') now.add(itemId)
      if (update === 'absent' && !before?.has(itemId)) continue
      examined.push(subject.name)
      if (update !== 'absent') continue
      findings.push({ kind: 'missing', subject, details: { itemId, market: market.id, orderId } })
    }
  }
  return { findings, examined }
}

/**
 * What a follower saw of a missing order or an unmatched purchase is settled by a statement that says
 * otherwise.
 */
async function clearOthers(
  { db, clock }: ReconcilingDeps,
  examined: readonly string[],
  findings: readonly Finding[],
): Promise<void> {
  const at = clock.now()
  const wasExamined = new Set(examined)
  const open = await listUnclearedCases(db, COMPARED_KINDS)
  for (const kind of COMPARED_KINDS) {
    const found = new Set(
      findings.filter((finding) => finding.kind === kind).map(({ subject }) => subject.name),
    )
    const subjects = open.flatMap(({ kind: ofKind, subject }) =>
      ofKind === kind && wasExamined.has(subject) && !found.has(subject) ? subject : [],
    )
    const isAlsoFollowers = kind === 'missing' || kind === 'orphan_purchase'
    const sources = isAlsoFollowers
      ? (['statement', 'follower'] as const)
      : (['statement'] as const)
    await clearCases(db, { kinds: [kind], subjects, sources, at })
  }
}

interface Read {
  readonly lines: readonly StatementLine[]
  readonly orders: readonly HeldOrder[]
  /** Those that the lines do not have: begun while they were read, mostly. */
  readonly lacking: readonly HeldOrder[]
  readonly from: Date
  readonly context: CallContext
}

/**
 * The balance is read between two statements: what was paid and what came back between them is known order by
 * order, so the cost at that moment has its bounds, also on a market that is never still. An order of ours
 * that neither has may have cost something all the same.
 */
async function checkBaseline(
  deps: ReconcilingDeps,
  { scope, lengthMs }: Window,
  { lines, orders, lacking, from, context }: Read,
): Promise<Verdict['kind'] | 'first' | 'unsteady' | 'unavailable'> {
  const { db, clock, market, statements } = deps
  const known = await findBaseline(db, refOf(market), scope)
  // A baseline older than its window would count orders that are no longer read.
  const since = known === null || known.since < from ? halfOf(from, lengthMs) : known.since
  const balance = await market.balance(context)
  const again = await statements.read(from, context)
  if ('unavailable' in balance || again.kind === 'unavailable') return 'unavailable'
  const cost = costBetween(lines, again.lines, since)
  if (cost === null) return 'unavailable'
  const listed = new Set(again.lines.flatMap(({ customId, orderId }) => [customId, orderId]))
  const isListed = ({ customId, orderId }: HeldOrder) => listed.has(customId) || listed.has(orderId)
  if (!again.isWhole || !lacking.every(isListed)) return 'unsteady'
  const at = clock.now()
  const balanceMills = balance.mills
  const mills = added(balanceMills, cost)
  if (known === null || known.since < from) {
    const baseline: Baseline = { since, mills, candidate: null }
    await saveBaseline(db, refOf(market), scope, { baseline, balanceMills, at })
    return 'first'
  }
  const { settleMs } = statements.traits
  const { baseline, verdict } = judgeBaseline(known, mills, { at, settleMs })
  if (verdict.kind === 'fell') await reportFall(deps, verdict.by, { known, lines, orders, at })
  if (verdict.kind === 'rose') {
    await clearFalls(db, refOf(market), { risenBy: verdict.by, at })
  }
  // Counted anew from a later moment while both are within the window: no fall hides in the change.
  const isOld = known.since.getTime() < from.getTime() + lengthMs / 4
  const later = halfOf(from, lengthMs)
  const laterCost = isOld && !isDoubted(baseline) ? costBetween(lines, again.lines, later) : null
  const kept: Baseline =
    laterCost === null
      ? baseline
      : { since: later, mills: added(balanceMills, laterCost), candidate: null }
  await saveBaseline(db, refOf(market), scope, { baseline: kept, balanceMills, at })
  return verdict.kind
}

const added = (balanceMills: bigint, { low, high }: Bounds): Bounds => ({
  low: balanceMills + low,
  high: balanceMills + high,
})

const halfOf = (from: Date, lengthMs: number): Date => new Date(from.getTime() + lengthMs / 2)

/** One order whose refund is what is missing is the likely cause; otherwise no order is named. */
async function reportFall(
  { market, reportBalance }: ReconcilingDeps,
  { low, high }: Bounds,
  read: Pick<Read, 'lines' | 'orders'> & { readonly known: Baseline; readonly at: Date },
): Promise<void> {
  const named = market.account === MAIN ? {} : { account: market.account }
  const suspects = read.lines.filter(
    ({ returnedMills, placedAt }) =>
      returnedMills !== null &&
      returnedMills >= low &&
      returnedMills <= high &&
      placedAt >= read.known.since,
  )
  // Given up because no look-up knew them: what is missing may be the price of one that exists.
  const givenUp = read.orders.filter(
    ({ state, ceilingMills }) => state === 'absent' && ceilingMills >= low,
  )
  const [suspect, ...others] = suspects
  const order = read.orders.find(({ orderId }) => orderId === suspect?.orderId)
  const isSure = others.length === 0 && givenUp.length === 0
  if (suspect !== undefined && isSure && order !== undefined) {
    const about = { itemId: order.itemId, market: market.id, orderId: suspect.orderId }
    await reportBalance('refund_not_received', { ...about, ...named, missingMills: low })
    return
  }
  await reportBalance('balance_differs', {
    market: marketSubject(market.id).market,
    ...named,
    missingMills: low,
    seenAt: read.at.toISOString(),
    suspects: suspects.slice(0, 20).map(({ orderId }) => orderId),
    givenUp: givenUp.slice(0, 20).map(({ customId }) => customId),
  })
}
