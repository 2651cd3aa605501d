// Canceling: what no worker has claimed ends at once; what a supplier has taken ends when the supplier
// says so. Everything else goes on.

import type { Db } from '#infra/database/db'
import { mapAtOnce } from '#infra/limits/at-once'
import type { Clock } from '#infra/process/clock'
import { isTerminal, type OnCase, type Status } from '#trades'
import { CANCEL_LEASE_MS, cancelOrder } from './cancel-order.ts'
import type { AccountRef, Market } from './ports.ts'
import {
  type CancelableItem,
  endUnplaced,
  listCancelable,
  requestCancel,
  scheduleCancels,
  settleCancel,
} from './store/cancel.ts'

export interface CancelDeps {
  readonly db: Db
  readonly clock: Clock
  /** With the account that an order was begun with; null: it is not known here now. */
  marketOf(order: AccountRef): Market | null
  /** Suppliers are asked for so long; an item that has had no turn by then is left to the worker. */
  readonly patienceMs: number
  /** Calls under way at once, for one request. */
  readonly concurrency: number
  readonly onCase: OnCase
}

export interface CancelOutcome {
  readonly itemId: string
  readonly externalId: string | null
  /** Where it stood when it was asked for. */
  readonly was: Status
  readonly canceled: boolean
  /** Why not, or not yet; null when it was, and when its supplier refused or did not answer. */
  readonly reason: 'TRADE_CANCEL_TOO_SOON' | 'TRADE_NOT_CANCELLABLE' | 'TRADE_CANCEL_PENDING' | null
}

/** `item` by its id or by the external id that it was bought under; null for all that can still end. */
export type CancelBuy = (
  trade: { readonly tradeId: string; readonly item: string | null },
  context: { readonly requestId: string },
) => Promise<CancelOutcome[]>

/**
 * Cancels the items of a buy that have not ended and are not in hold, or the one that is named, and
 * answers for each what came of it. No items: nothing by that name, or nothing left to cancel.
 */
export function createCancelBuy(deps: CancelDeps): CancelBuy {
  return async ({ tradeId, item }, context) => {
    const all = await listCancelable(deps.db, tradeId)
    const asked = item === null ? all.filter(isOpen) : named(all, item)
    const giveUpAt = deps.clock.now().getTime() + deps.patienceMs
    const canceled = new Set(await cancelHere(deps, asked))
    const others = asked.filter(({ id }) => !canceled.has(id))
    // Between the two looks a worker may have placed what was not placed yet.
    const again = await listCancelable(
      deps.db,
      tradeId,
      others.map(({ id }) => id),
    )
    const byId = new Map(again.map((one) => [one.id, one]))
    const verdicts = asked.map(({ id }) =>
      canceled.has(id) ? 'canceled' : verdictOn(deps, byId.get(id)),
    )
    const ready = asked.filter((_, i) => verdicts[i] === 'ask')
    const readyIds = ready.map(({ id }) => id)
    await requestCancel(deps.db, readyIds, deps.clock.now())
    // Should this process die, the worker goes on when its calls can no longer be under way.
    await scheduleCancels(deps.db, readyIds, new Date(giveUpAt + CANCEL_LEASE_MS))
    const verdictsOfSuppliers = await mapAtOnce(ready, deps.concurrency, ({ id }) =>
      askSupplier(deps, byId.get(id) as CancelableItem, { ...context, giveUpAt }),
    )
    const answers = new Map(ready.map(({ id }, i) => [id, verdictsOfSuppliers[i] as Verdict]))
    return asked.map((one, i) => outcomeOf(one, answers.get(one.id) ?? (verdicts[i] as Verdict)))
  }
}

type Verdict = 'canceled' | 'failed' | NonNullable<CancelOutcome['reason']>

const outcomeOf = (
  { id, externalId, status }: CancelableItem,
  verdict: Verdict,
): CancelOutcome => ({
  itemId: id,
  externalId,
  was: status,
  canceled: verdict === 'canceled',
  reason: verdict === 'canceled' || verdict === 'failed' ? null : verdict,
})

const isOpen = ({ status }: CancelableItem): boolean => !isTerminal(status) && status !== 'hold'

/** An external id may be spelled like the id of another item: ids come first. */
function named(items: readonly CancelableItem[], name: string): CancelableItem[] {
  const found =
    items.find(({ id }) => id === name.toLowerCase()) ??
    items.find(({ externalId }) => externalId === name)
  return found ? [found] : []
}

/** What no worker has placed is canceled without a supplier: all of it in one statement and commit. */
const cancelHere = (
  { db, clock }: CancelDeps,
  items: readonly CancelableItem[],
): Promise<string[]> => {
  const unplaced = items.filter(({ status }) => status === 'initiated').map(({ id }) => id)
  return endUnplaced(db, unplaced, { to: 'canceled' }, clock.now())
}

function verdictOn(
  { clock, marketOf }: CancelDeps,
  item: CancelableItem | undefined,
): Verdict | 'ask' {
  // A worker is about to place it, or its answer was lost: in some seconds more is known.
  if (item?.status === 'initiated') return 'TRADE_CANCEL_TOO_SOON'
  if (item?.status !== 'pending' || item.order === null) return 'TRADE_NOT_CANCELLABLE'
  const market = marketOf({ market: item.market, account: item.order.account })
  // A worker has it.
  if (market === null) return 'ask'
  const afterMs = market.traits.cancelAfterMs
  if (afterMs === null) return 'TRADE_NOT_CANCELLABLE'
  const ageMs = clock.now().getTime() - item.order.sentAt.getTime()
  return ageMs < afterMs ? 'TRADE_CANCEL_TOO_SOON' : 'ask'
}

/** An item that has had no turn in time is left to the worker; every other answer ends the request. */
async function askSupplier(
  deps: CancelDeps,
  item: CancelableItem,
  request: { readonly requestId: string; readonly giveUpAt: number },
): Promise<Verdict> {
  const account = item.order?.account ?? ''
  const market = deps.marketOf({ market: item.market, account })
  const verdict = market ? await cancelOrder(deps, market, item, request) : 'not-sent'
  if (verdict === 'not-sent') {
    await scheduleCancels(deps.db, [item.id], deps.clock.now())
    return 'TRADE_CANCEL_PENDING'
  }
  await settleCancel(deps.db, item.id)
  return verdict === 'refused' || verdict === 'unknown' ? 'failed' : verdict
}
