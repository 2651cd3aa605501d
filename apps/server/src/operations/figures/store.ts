// SQL of the figures of hours and days.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Addition, FigureName, Unit } from './rows.ts'

/** How far the figures go. */
export interface Mark {
  /** Events up to this one are added. */
  readonly position: bigint
  /** What is counted by finished hours is added up to here; null: nothing is. */
  readonly hoursUntil: Date | null
  /** When nothing was left to add; null: never. */
  readonly foldedAt: Date | null
}

const MARK = 'position "position", hours_until "hoursUntil", folded_at "foldedAt"'
const LOCK_MARK = sql(
  'operations.lock_figures_mark',
  `select ${MARK} from operations.figures_mark for update skip locked`,
)
/** Null: another process folds. */
export async function lockMark(tx: Tx): Promise<Mark | null> {
  const [mark] = await tx.query<Mark>(LOCK_MARK)
  return mark ?? null
}

const SET_POSITION = sql(
  'operations.set_figures_position',
  'update operations.figures_mark set position = $1',
)
export async function setPosition(tx: Tx, position: bigint): Promise<void> {
  await tx.query(SET_POSITION, [position])
}

const SET_HOURS = sql(
  'operations.set_figures_hours',
  'update operations.figures_mark set hours_until = $1, folded_at = coalesce($2, folded_at)',
)
/** `foldedAt` null: there are more hours to add. */
export async function setHours(
  tx: Tx,
  { until, foldedAt }: { readonly until: Date; readonly foldedAt: Date | null },
): Promise<void> {
  await tx.query(SET_HOURS, [until, foldedAt])
}

const READ_MARK = sql('operations.read_figures_mark', `select ${MARK} from operations.figures_mark`)
export async function readMark(db: Queryable): Promise<Mark | null> {
  const [mark] = await db.query<Mark>(READ_MARK)
  return mark ?? null
}

const GIVEN = `unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
  g (tenant_id, unit, at, figure, label, count, usd_cents)`
const ADD_TO_SERVICE = sql(
  'operations.add_service_figures',
  `insert into operations.service_figure as f (unit, at, figure, label, count, usd_cents)
   select g.unit, g.at, g.figure, g.label, sum(g.count), sum(g.usd_cents) from ${GIVEN}
   group by g.unit, g.at, g.figure, g.label
   on conflict (unit, at, figure, label) do update set count = f.count + excluded.count,
     usd_cents = f.usd_cents + excluded.usd_cents`,
)
const ADD_TO_PARTNERS = sql(
  'operations.add_partner_figures',
  `insert into operations.partner_figure as f (tenant_id, unit, at, figure, label, count, usd_cents)
   select g.tenant_id, g.unit, g.at, g.figure, g.label, g.count, g.usd_cents from ${GIVEN}
   on conflict (tenant_id, unit, at, figure, label) do update set count = f.count + excluded.count,
     usd_cents = f.usd_cents + excluded.usd_cents`,
)

export type Sum = Addition & { readonly unit: Unit }

/** Each sum is one row of its tenant; the rows of the service are the sums over tenants. */
export async function addFigures(
  tx: Tx,
  sums: readonly Sum[],
  partners: ReadonlySet<string>,
): Promise<void> {
  if (sums.length === 0) return
  await tx.query(ADD_TO_SERVICE, valuesOf(sums))
  const ofPartners = sums.filter(({ tenantId }) => partners.has(tenantId))
  if (ofPartners.length > 0) await tx.query(ADD_TO_PARTNERS, valuesOf(ofPartners))
}

const valuesOf = (sums: readonly Sum[]): unknown[] => [
  sums.map(({ tenantId }) => tenantId),
  sums.map(({ unit }) => unit),
  sums.map(({ at }) => at),
  sums.map(({ figure }) => figure),
  sums.map(({ label }) => label),
  sums.map(({ count }) => count),
  sums.map(({ usdCents }) => usdCents),
]

const FORGET_SERVICE = sql(
  'operations.forget_service_hours',
  "delete from operations.service_figure where unit = 'hour' and at < $1",
)
const FORGET_PARTNERS = sql(
  'operations.forget_partner_hours',
  "delete from operations.partner_figure where unit = 'hour' and at < $1",
)
/** Removes the figures of hours before a time; those of days stay. */
export async function forgetHours(tx: Tx, before: Date): Promise<void> {
  await tx.query(FORGET_SERVICE, [before])
  await tx.query(FORGET_PARTNERS, [before])
}

export interface FigureRow {
  readonly figure: FigureName
  readonly label: string
  /** Of the period before. */
  readonly isBefore: boolean
  readonly count: bigint
  readonly usdCents: bigint
}

export interface Span {
  readonly unit: Unit
  /** The start of the period before, of the period, and its end; each the start of a unit. */
  readonly before: Date
  readonly from: Date
  readonly to: Date
}

const TOTALS =
  'f.figure, f.label, f.at < $3 "isBefore", sum(f.count)::bigint "count", sum(f.usd_cents)::bigint "usdCents"'
const WITHIN = 'f.unit = $1 and f.at >= $2 and f.at < $4'
const SERVICE_TOTALS = sql(
  'operations.service_figures',
  `select ${TOTALS} from operations.service_figure f where ${WITHIN} group by 1, 2, 3`,
)
const PARTNER_TOTALS = sql(
  'operations.partner_figures',
  `select ${TOTALS} from operations.partner_figure f where f.tenant_id = $5 and ${WITHIN} group by 1, 2, 3`,
)

/** Of all accounts, or of a partner with its children. */
export const readTotals = (
  db: Queryable,
  { unit, before, from, to }: Span,
  partnerId: string | null,
): Promise<FigureRow[]> => {
  const values = [unit, before, from, to]
  return partnerId === null
    ? db.query<FigureRow>(SERVICE_TOTALS, values)
    : db.query<FigureRow>(PARTNER_TOTALS, [...values, partnerId])
}

export interface BucketRow {
  readonly at: Date
  readonly figure: 'begun' | 'ended' | 'volume' | 'fees' | 'penalties'
  readonly label: string
  readonly count: bigint
  readonly usdCents: bigint
}

const BUCKETS = sql(
  'operations.service_buckets',
  `select f.at, f.figure, f.label, f.count, f.usd_cents "usdCents" from operations.service_figure f
   where f.unit = $1 and f.at >= $2 and f.at < $3
     and f.figure in ('begun', 'ended', 'volume', 'fees', 'penalties') order by f.at limit 10000`,
)
/** What the charts show, of all accounts. */
export const readBuckets = (
  db: Queryable,
  { unit, from, to }: Omit<Span, 'before'>,
): Promise<BucketRow[]> => db.query<BucketRow>(BUCKETS, [unit, from, to])
