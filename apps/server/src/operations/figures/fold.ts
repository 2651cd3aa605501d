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
import { addFigures, forgetHours, lockMark, setMark } from './store.ts'

/** Positions of one commit. */
const EVENTS_AT_ONCE = 2_000
/** Of one commit, when a service that has traded for long gets its first figures. */
const HOURS_AT_ONCE = 24
/** An hour is finished so long after its end: clocks differ, and transactions take a while. */
const FINISHED_AFTER_MS = 600_000
/** Two periods of a day, and a week of pause. */
const HOURS_KEPT_MS = 9 * 24 * HOUR_MS

/** Ends early, between two commits, when `signal` says. */
export async function foldFigures(
  db: Db,
  { at, signal }: { readonly at: Date; readonly signal: AbortSignal },
): Promise<void> {
  for (let hasMore = true; hasMore && !signal.aborted; ) {
    hasMore = await db.transaction((tx) => foldNext(tx, at))
  }
  await forgetHours(db, new Date(at.getTime() - HOURS_KEPT_MS))
}

async function foldNext(tx: Tx, at: Date): Promise<boolean> {
  const mark = await lockMark(tx)
  if (mark === null) return false
  const ofEvents = await readEvents(tx, mark.position)
  const ofHours = await readHours(tx, mark.hoursUntil, at)
  const sums = sumsOf([...ofEvents.additions, ...ofHours.additions])
  const tenantIds = sums.map(({ tenantId }) => tenantId)
  await addFigures(tx, sums, await findPartnersAmong(tx, tenantIds))
  const hasMore = ofEvents.hasMore || ofHours.hasMore
  await setMark(tx, {
    ...{ position: ofEvents.upTo, hoursUntil: ofHours.until },
    foldedAt: hasMore ? null : at,
  })
  return hasMore
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

async function readHours(tx: Tx, since: Date | null, at: Date) {
  const finished = startOf('hour', new Date(at.getTime() - FINISHED_AFTER_MS))
  // The first figures begin with the first event; a new service has none before now.
  const from = since ?? startOf('hour', (await findFirstEventAt(tx)) ?? at)
  const most = new Date(from.getTime() + HOURS_AT_ONCE * HOUR_MS)
  const until = most < finished ? most : finished
  if (until <= from) return { additions: [], until: from, hasMore: false }
  const range = { from, to: until }
  const attempts = await countAttempts(tx, range)
  const credited = await sumCredited(tx, range)
  const confirmed = await sumConfirmed(tx, range)
  const additions: Addition[] = [
    ...attempts.map(({ isSuccess, ...each }) => ({
      ...{ ...each, usdCents: 0n, figure: 'attempts' as const },
      label: isSuccess ? 'succeeded' : 'failed',
    })),
    ...credited.map((each) => ({ ...each, figure: 'deposits' as const, label: '' })),
    ...confirmed.map((each) => ({ ...each, figure: 'payouts' as const, label: '' })),
  ]
  return { additions, until, hasMore: until < finished }
}
