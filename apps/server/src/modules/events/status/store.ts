// SQL of components and their periods.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { MarketId } from '#kernel/market-id'
import type { Component, Period, Status } from './status.ts'

const PERIOD = columns<Period>('', {
  id: text,
  component: text,
  name: text,
  status: text,
  previous: text,
  reason: text,
  fromAt: time,
  untilAt: time,
  seenStatus: text,
  seenSince: time,
})

const NOW = sql(
  'status.periods_now',
  `select ${PERIOD.list} from status.period where until_at is null order by component, name limit 100`,
)
/** The period that each component is in. */
export const listCurrent = (db: Queryable): Promise<Period[]> => PERIOD.all(db, NOW)

/** More than components can have in 90 days, unless one of them changes every few minutes all the time. */
const MOST_PERIODS = 20_000

const SINCE = sql(
  'status.periods_since',
  `select ${PERIOD.list} from status.period where until_at is null or until_at > $1
   order by from_at desc limit ${MOST_PERIODS}`,
)
/** Those that had not ended by then, the newest first. */
export const listSince = (db: Queryable, since: Date): Promise<Period[]> =>
  PERIOD.all(db, SINCE, [since])

const AFTER = sql(
  'status.periods_after',
  `select ${PERIOD.list} from status.period where id > $1 order by id limit 100`,
)
/** Those that were written after this period, in order; first periods too, which are no changes. */
export const listPeriodsAfter = (db: Queryable, periodId: string): Promise<Period[]> =>
  PERIOD.all(db, AFTER, [periodId])

const NEWEST = sql('status.newest_period', 'select id from status.period order by id desc limit 1')
export async function findNewestPeriod(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(NEWEST)
  return row?.id ?? null
}

const LOCK_JUDGING = sql(
  'status.lock_judging',
  'select judged_at "judgedAt" from status.judging for update',
)
const NOTE_JUDGING = sql(
  'status.note_judging',
  'update status.judging set judged_at = greatest(judged_at, $1)',
)
/** Locks out other judges until the transaction ends. Answers when one has looked last; null: none has. */
export async function lockJudging(tx: Tx): Promise<Date | null> {
  const [row] = await tx.query<{ judgedAt: Date | null }>(LOCK_JUDGING)
  return row?.judgedAt ?? null
}

/** Writes down that a worker has looked. The caller holds the lock. */
export async function noteJudging(tx: Tx, at: Date): Promise<void> {
  await tx.query(NOTE_JUDGING, [at])
}

const JUDGED = sql('status.judged_at', 'select judged_at "judgedAt" from status.judging')
export async function findJudgedAt(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ judgedAt: Date | null }>(JUDGED)
  return row?.judgedAt ?? null
}

const NOTE_SEEN = sql(
  'status.note_seen',
  'update status.period set seen_status = $2, seen_since = $3 where id = $1',
)
export async function noteSeen(
  tx: Tx,
  periodId: string,
  seen: { readonly status: Status | null; readonly since: Date | null },
): Promise<void> {
  await tx.query(NOTE_SEEN, [periodId, seen.status, seen.since])
}

const END = sql(
  'status.end_period',
  `update status.period set until_at = greatest($2, from_at + interval '1 millisecond'), seen_status = null,
     seen_since = null where id = $1`,
)
export async function endPeriod(tx: Tx, periodId: string, at: Date): Promise<void> {
  await tx.query(END, [periodId, at])
}

const BEGIN = sql(
  'status.begin_period',
  `insert into status.period (component, name, status, previous, reason, from_at, announced_at)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${PERIOD.list}`,
)
/** The first period of a component is not reported. */
export async function beginPeriod(
  tx: Tx,
  {
    component,
    name,
    status,
    previous,
    reason,
    fromAt,
  }: Component & Pick<Period, 'status' | 'previous' | 'reason' | 'fromAt'>,
): Promise<Period> {
  const announcedAt = previous === null ? fromAt : null
  const values = [component, name, status, previous, reason, fromAt, announcedAt]
  return (await PERIOD.first(tx, BEGIN, values)) as Period
}

const SET_REASON = sql('status.set_reason', 'update status.period set reason = $2 where id = $1')
export async function setReason(tx: Tx, periodId: string, reason: string | null): Promise<void> {
  await tx.query(SET_REASON, [periodId, reason])
}

const PURGE = sql(
  'status.purge_periods',
  'delete from status.period where until_at < $1 and announced_at is not null',
)
export async function purgePeriods(tx: Tx, before: Date): Promise<void> {
  await tx.query(PURGE, [before])
}

export interface MarketFigures {
  readonly market: MarketId
  readonly listings: number
  /** When its listings were last read as a whole; null before the first time. */
  readonly readAt: Date | null
  /** For how long an item that is bought now would wait to be placed; null: not measured. */
  readonly expectedWaitSeconds: number | null
}

const FIGURES = columns<MarketFigures>('', {
  market: text,
  listings: int,
  readAt: time,
  expectedWaitSeconds: int,
})

const WRITE_FIGURES = sql(
  'status.write_market_figures',
  `insert into status.market_figures (market, listings, read_at, expected_wait_seconds)
   select * from unnest($1::text[], $2::integer[], $3::timestamptz[], $4::integer[])
   on conflict (market) do update set listings = excluded.listings, read_at = excluded.read_at,
     expected_wait_seconds = excluded.expected_wait_seconds`,
)
export async function writeMarketFigures(tx: Tx, figures: readonly MarketFigures[]): Promise<void> {
  await tx.query(WRITE_FIGURES, [
    figures.map(({ market }) => market),
    figures.map(({ listings }) => listings),
    figures.map(({ readAt }) => readAt),
    figures.map(({ expectedWaitSeconds }) => expectedWaitSeconds),
  ])
}

const LIST_FIGURES = sql(
  'status.list_market_figures',
  `select ${FIGURES.list} from status.market_figures order by market limit 100`,
)
export const listMarketFigures = (db: Queryable): Promise<MarketFigures[]> =>
  FIGURES.all(db, LIST_FIGURES)

/** Whether merchants have to be notified of a change. */
export const CHANGES_TO_ANNOUNCE: DueQuestion = dueWhere(
  'status.announce',
  'exists (select from status.period where announced_at is null)',
)

const LOCK_UNANNOUNCED = sql(
  'status.lock_unannounced',
  `select id, announced_through "announcedThrough" from status.period where announced_at is null
   order by id limit 1 for update skip locked`,
)
export interface Unannounced {
  readonly id: string
  /** Null: none was notified yet. */
  readonly announcedThrough: string | null
}
/** The oldest change that was not reported to every merchant. */
export async function lockUnannounced(tx: Tx): Promise<Unannounced | null> {
  const [row] = await tx.query<Unannounced>(LOCK_UNANNOUNCED)
  return row ?? null
}

const ANNOUNCE = sql('status.announce', 'select status.announce($1, $2, $3)')
const MARK_ANNOUNCED = sql(
  'status.mark_announced',
  `update status.period set announced_through = coalesce($2, announced_through), announced_at = $3 where id = $1`,
)
/** Writes the event for these accounts; `isLast`: all were notified then. */
export async function writeAnnouncement(
  tx: Tx,
  periodId: string,
  {
    accountIds,
    isLast,
    at,
  }: { readonly accountIds: readonly string[]; readonly isLast: boolean; readonly at: Date },
): Promise<void> {
  if (accountIds.length > 0) await tx.query(ANNOUNCE, [periodId, accountIds, at])
  await tx.query(MARK_ANNOUNCED, [periodId, accountIds.at(-1) ?? null, isLast ? at : null])
}
