// Adds what has happened to the figures of its hour and day, each thing once: events by their position, and
// what has no events by finished hours. The mark moves in the commit that adds.
import { readMarketsOfItems } from '#buying'
import { sumCredited } from '#deposits'
import { findPartnersAmong } from '#identity'
import type { Db, Tx } from '#infra/database/db'
import { findFirstEventAt, readEventsInOrder } from '#outbox'
import { sumConfirmed } from '#payouts'
import { readOutcomes } from '#trades'
import { countAttempts } from '#webhooks'
import { type Addition, additionsOf, HOUR_MS, startOf, sumsOf } from './rows.ts'
import { addFigures, forgetHours, lockMark, setHours, setPosition } from './store.ts'

/** Positions of one commit. */
const EVENTS_AT_ONCE = 2_000
/** An hour of attempts is many rows: it may take longer than other statements. */
const HOUR_TIMEOUT_MS = 60_000
/** An hour is finished so long after its end: clocks differ, and transactions take a while. */
const FINISHED_AFTER_MS = 600_000
/** Before the first figures are complete, attempts of hours that ended longer ago are not counted. */
const FIRST_ATTEMPTS_MS = 24 * HOUR_MS
/** Two periods of a day, and a week of pause. */
const HOURS_KEPT_MS = 9 * 24 * HOUR_MS

/**
 * Ends early, between two commits, when `signal` says. Events are first and have commits of their own: an
 * hour that cannot be counted does not stop them.
 */
export async function foldFigures(
  db: Db,
  { at, signal }: { readonly at: Date; readonly signal: AbortSignal },
): Promise<void> {
  if (!(await addAll(signal, () => db.transaction(foldEvents)))) return
  const options = { statementTimeoutMs: HOUR_TIMEOUT_MS }
  await addAll(signal, () => db.transaction((tx) => foldHour(tx, at), options))
}

/** `next`: whether there is more; null: another process folds. False: not all was added here. */
async function addAll(signal: AbortSignal, next: () => Promise<boolean | null>): Promise<boolean> {
  let hasMore: boolean | null = true
  while (hasMore && !signal.aborted) hasMore = await next()
  return hasMore === false
}

async function foldEvents(tx: Tx): Promise<boolean | null> {
  const mark = await lockMark(tx)
  if (mark === null) return null
  const { additions, upTo, hasMore } = await readEvents(tx, mark.position)
  await add(tx, additions)
  await setPosition(tx, upTo)
  return hasMore
}

async function foldHour(tx: Tx, at: Date): Promise<boolean | null> {
  const mark = await lockMark(tx)
  if (mark === null) return null
  const finished = startOf('hour', new Date(at.getTime() - FINISHED_AFTER_MS))
  // The first figures begin with the first event; a new service has none before now.
  const from = mark.hoursUntil ?? startOf('hour', (await findFirstEventAt(tx)) ?? at)
  if (from >= finished) {
    await setHours(tx, { until: from, foldedAt: at })
    return false
  }
  const to = new Date(from.getTime() + HOUR_MS)
  const hasMore = to < finished
  const isOld = mark.foldedAt === null && to.getTime() <= at.getTime() - FIRST_ATTEMPTS_MS
  await add(tx, [
    ...(isOld ? [] : await readAttempts(tx, { from, to })),
    ...(await readPayments(tx, { from, to })),
  ])
  await setHours(tx, { until: to, foldedAt: hasMore ? null : at })
  if (!hasMore) await forgetHours(tx, new Date(at.getTime() - HOURS_KEPT_MS))
  return hasMore
}

async function add(tx: Tx, additions: readonly Addition[]): Promise<void> {
  const tenantIds = additions.map(({ tenantId }) => tenantId)
  await addFigures(tx, sumsOf(additions), await findPartnersAmong(tx, tenantIds))
}

async function readEvents(tx: Tx, after: bigint) {
  const slice = await readEventsInOrder(tx, {
    ...{ after, limit: EVENTS_AT_ONCE, subjectType: 'trade' },
  })
  const trades = await readOutcomes(tx, [
    ...new Set(slice.events.map(({ subjectId }) => subjectId)),
  ])
  const itemIds = [...trades.values()].flatMap(({ items }) => items.map(({ id }) => id))
  const markets = await readMarketsOfItems(tx, itemIds)
  const additions = slice.events.flatMap((event) => {
    const trade = trades.get(event.subjectId)
    return trade === undefined ? [] : additionsOf(event, trade, markets)
  })
  return { ...slice, additions }
}

interface Range {
  readonly from: Date
  readonly to: Date
}

const readAttempts = async (tx: Tx, range: Range): Promise<Addition[]> =>
  (await countAttempts(tx, range)).map(({ isSuccess, ...each }) => ({
    ...{ ...each, usdCents: 0n, figure: 'attempts' },
    label: isSuccess ? 'succeeded' : 'failed',
  }))

async function readPayments(tx: Tx, range: Range): Promise<Addition[]> {
  const credited = await sumCredited(tx, range)
  const confirmed = await sumConfirmed(tx, range)
  return [
    ...credited.map((each) => ({ ...each, figure: 'deposits' as const, label: '' })),
    ...confirmed.map((each) => ({ ...each, figure: 'payouts' as const, label: '' })),
  ]
}
