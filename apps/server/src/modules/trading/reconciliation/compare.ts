// Three ways to say what was bought: our item, our order, the supplier's statement. Pure.
import type { HeldOrder, MarketId } from '#buying'
import { type CaseKind, type Finding, itemSubject, orderSubject } from './case.ts'
import type { StatementLine, StatementTraits } from './ports.ts'

export interface Comparison {
  readonly findings: readonly Finding[]
  /** Subjects that were looked at: what is not found of them any more is cleared. */
  readonly examined: readonly string[]
  /** Orders that the supplier accepted once and does not list. Only a look-up proves that they are gone. */
  readonly unlisted: readonly HeldOrder[]
  /** Items in their hold whose orders have ended: signs of a reversal, which only a look-up proves. */
  readonly endedInHold: readonly string[]
  /** Orders that may have cost something and are not on the statement: its sum lacks them. */
  readonly lacking: readonly HeldOrder[]
}

/** What a comparison can say, and therefore take back. */
export const COMPARED_KINDS = [
  'orphan_purchase',
  'missing',
  'price_differs',
  'refund_not_received',
  'late_contradiction',
] as const satisfies readonly CaseKind[]

export interface ComparedStatement {
  readonly market: MarketId
  readonly lines: readonly StatementLine[]
  readonly isWhole: boolean
  readonly from: Date
  /** When it was asked for. Orders are read after it, so every line's intent is among them. */
  readonly askedAt: Date
  readonly traits: StatementTraits
}

export function compare(statement: ComparedStatement, orders: readonly HeldOrder[]): Comparison {
  const byCustomId = new Map(orders.map((order) => [order.customId, order]))
  const byOrderId = new Map(
    orders.flatMap((order) => (order.orderId === null ? [] : [[order.orderId, order] as const])),
  )
  const findings: Finding[] = []
  const examined: string[] = []
  const listed = new Set<string>()
  const endedInHold: string[] = []
  for (const line of statement.lines) {
    const order =
      byOrderId.get(line.orderId) ??
      (line.customId === null ? undefined : byCustomId.get(line.customId))
    const isOurs = order !== undefined && (order.orderId ?? line.orderId) === line.orderId
    if (!isOurs) {
      const subject = orderSubject(statement.market, line.orderId)
      examined.push(subject.name)
      if (line.state !== 'ended') findings.push(unknownPurchase(statement.market, line))
      continue
    }
    listed.add(order.customId)
    if (order.status === 'hold' && line.state === 'ended') endedInHold.push(order.itemId)
    examined.push(itemSubject(order.itemId, statement.market).name)
    // After a restore it may have been one that no item stands behind, until its gate was closed.
    examined.push(orderSubject(statement.market, line.orderId).name)
    findings.push(...contradictions(line, order, statement))
  }
  const lacking = orders.filter(
    ({ state, sentAt, customId }) =>
      !NOTHING_BOUGHT.includes(state) && sentAt >= statement.from && !listed.has(customId),
  )
  return {
    findings,
    examined,
    unlisted: unlistedOf(statement, orders, listed),
    endedInHold,
    lacking,
  }
}

/** Under an id that none of our orders has, or a second one under the id of one. */
function unknownPurchase(market: MarketId, line: StatementLine): Finding {
  const { orderId, customId, paidMills, placedAt, state, detail } = line
  return {
    kind: 'orphan_purchase',
    subject: orderSubject(market, orderId),
    details: { market, orderId, customId, paidMills, placedAt: placedAt.toISOString() },
    notes: { state, detail },
  }
}

function contradictions(
  line: StatementLine,
  order: HeldOrder,
  { askedAt, traits, market }: ComparedStatement,
): Finding[] {
  const findings: Finding[] = []
  const about = { itemId: order.itemId, market, orderId: line.orderId }
  const find = (kind: CaseKind, details: object, notes: object): void => {
    findings.push({
      kind,
      subject: itemSubject(order.itemId, market),
      details: { ...about, ...details },
      notes: { ...notes },
    })
  }
  const { state, detail, paidMills } = line
  // Certain that nothing was bought, we said: refused, never left, or proven absent.
  if (NOTHING_BOUGHT.includes(order.state)) {
    if (state !== 'ended') find('orphan_purchase', {}, { state })
    return findings
  }
  if (order.state !== 'placed') return findings
  const tookMore = paidMills !== null && paidMills > order.ceilingMills
  const tookOther = paidMills !== null && order.paidMills !== null && paidMills !== order.paidMills
  if (tookMore || tookOther) {
    const { ceilingMills, paidMills: toldMills } = order
    find('price_differs', { ceilingMills, paidMills }, { toldMills })
  }
  // What was written a moment ago may be newer than the statement.
  if (askedAt.getTime() - order.statusAt.getTime() < traits.settleMs) return findings
  if (contradicts(order, line)) {
    find('late_contradiction', { status: order.status, supplier: state }, { detail })
  }
  const shortMills = shortOf(line, order, traits)
  if (shortMills !== null) {
    const { paidMills: owedMills, returnedMills } = line
    find('refund_not_received', { shortMills }, { paidMills: owedMills, returnedMills, detail })
  }
  return findings
}

const NOTHING_BOUGHT: readonly HeldOrder['state'][] = ['refused', 'not_sent', 'absent', 'orphan']

/** An item that has ended one way and its order another. */
function contradicts({ status, isDecided }: HeldOrder, { state }: StatementLine): boolean {
  // Of a contested delivery the market's word is known, and a person has decided against it.
  if (status === 'completed') return state === 'ended' && !isDecided
  const isUndone = ['failed', 'declined', 'canceled', 'reverted'].includes(status)
  return isUndone && (state === 'held' || state === 'completed')
}

/** What should have come back of an undone order and did not; null when nothing is owed. */
function shortOf(
  { state, paidMills, returnedMills }: StatementLine,
  { status, revertedBy }: HeldOrder,
  { keptOnUserReversalBps }: StatementTraits,
): bigint | null {
  const isUndone = ['failed', 'declined', 'canceled', 'reverted'].includes(status)
  if (state !== 'ended' || !isUndone || paidMills === null || returnedMills === null) return null
  const isUsersFault = status === 'reverted' && revertedBy === 'user'
  if (isUsersFault && keptOnUserReversalBps === null) return null
  const keptBps = isUsersFault ? BigInt(keptOnUserReversalBps ?? 0) : 0n
  // A supplier that keeps two parts rounds each of them up.
  const mayKeepMills = keptBps === 0n ? 0n : (paidMills * keptBps) / 10_000n + ROUNDING_MILLS
  const shortMills = paidMills - mayKeepMills - returnedMills
  return shortMills > 0n ? shortMills : null
}

const ROUNDING_MILLS = 2n

function unlistedOf(
  { isWhole, from, askedAt, traits }: ComparedStatement,
  orders: readonly HeldOrder[],
  listed: ReadonlySet<string>,
): HeldOrder[] {
  if (!isWhole) return []
  const since = from.getTime() + traits.settleMs
  const until = askedAt.getTime() - traits.settleMs
  return orders.filter(
    ({ state, sentAt, customId, status }) =>
      state === 'placed' &&
      sentAt.getTime() >= since &&
      sentAt.getTime() <= until &&
      !listed.has(customId) &&
      // Undone by the supplier's own word: whether it still lists it does not matter.
      !['failed', 'declined', 'canceled', 'reverted'].includes(status),
  )
}
