import { type Db, type Queryable, sql } from '#infra/database/db'
import { FIRST_ID, type IdSlice, type Violation } from '#infra/database/id-slices'
import type { Clock } from '#infra/process/clock'
import {
  auditBalancesBetween,
  auditEscrow,
  auditHolds,
  auditJournals,
  auditPostings,
  auditSince,
  endOfSlice,
  lastPostingId,
  readAuditRun,
  writeAuditRun,
} from './audit-store.ts'

export interface Audit {
  /**
   * The promises that the postings since the last call but one can have broken: its cost grows with the
   * traffic. Two calls back, because ids are handed out before they commit: with a minute between calls
   * every transaction of then has ended by now.
   */
  recent(): Promise<Violation[]>
  /** The parts of other modules that began in the last day. */
  day(): Promise<Violation[]>
  /**
   * Every promise over everything, in slices, from where the last call was stopped. Its time grows with the
   * books, that of each statement does not; only the comparison of escrow with open holds scans a table.
   */
  everything(signal?: AbortSignal): Promise<Violation[]>
  /** When everything was audited last, to the end. */
  everythingFinishedAt(): Promise<Date | null>
}

/** Something that is audited slice by slice. */
export interface AuditPart {
  /** Stable: the progress of a run is kept under it. */
  readonly name: string
  /** Audits the slice after this position, or the first; `next` is its end, null when nothing is left. */
  audit(
    db: Queryable,
    after: string | null,
  ): Promise<{ readonly violations: Violation[]; readonly next: string | null }>
  /** The position before what began in the last day; without it the part is audited at night only. */
  beforeLastDay?(db: Queryable): Promise<string>
}

/** A part whose rows are found by ids that rise with time. */
export function partOfIds({
  name,
  endOfSlice: findEnd,
  audits,
  isDaily = false,
}: {
  readonly name: string
  endOfSlice(db: Queryable, after: string): Promise<string | null>
  readonly audits: readonly ((db: Queryable, slice: IdSlice) => Promise<Violation[]>)[]
  readonly isDaily?: boolean
}): AuditPart {
  return {
    name,
    audit: async (db, position) => {
      const after = position ?? FIRST_ID
      const upTo = await findEnd(db, after)
      const violations: Violation[] = []
      if (upTo === null) return { violations, next: null }
      for (const audit of audits) violations.push(...(await audit(db, { after, upTo })))
      return { violations, next: upTo }
    },
    ...(isDaily && { beforeLastDay: idBeforeLastDay }),
  }
}

const YESTERDAY = sql('ledger.id_before_last_day', "select uuidv7(interval '-25 hours')::text id")

async function idBeforeLastDay(db: Queryable): Promise<string> {
  const [row] = await db.query<{ id: string }>(YESTERDAY)
  return row?.id ?? FIRST_ID
}

export interface AuditOptions {
  /** What other modules have to compare with the books. */
  readonly parts?: readonly AuditPart[]
}

export function createAudit(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { parts = [] }: AuditOptions = {},
): Audit {
  const all = [...LEDGER_PARTS, ...parts]
  let previous: bigint | undefined
  let beforePrevious: bigint | undefined
  return {
    recent: async () => {
      const last = await lastPostingId(db)
      const since = beforePrevious ?? last - FIRST_LOOK
      beforePrevious = previous ?? last - FIRST_LOOK
      previous = last
      return auditSince(db, since)
    },
    day: async () => {
      const found: Violation[] = []
      for (const { audit, beforeLastDay } of parts) {
        let after = beforeLastDay ? await beforeLastDay(db) : null
        while (after !== null) {
          const { violations, next } = await audit(db, after)
          found.push(...violations)
          after = next
        }
      }
      return found
    },
    everything: (signal) => auditAll({ db, clock, parts: all, signal }),
    everythingFinishedAt: async () => (await readAuditRun(db)).finishedAt,
  }
}

const FIRST_LOOK = 10_000n

async function auditAll({
  db,
  clock,
  parts,
  signal,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly parts: readonly AuditPart[]
  readonly signal: AbortSignal | undefined
}): Promise<Violation[]> {
  const found: Violation[] = []
  const run = await readAuditRun(db)
  const begin = Math.max(
    parts.findIndex(({ name }) => name === run.part),
    0,
  )
  for (const [i, part] of parts.entries()) {
    if (i < begin) continue
    let position = part.name === run.part ? run.position : null
    for (;;) {
      if (signal?.aborted) {
        // What was found is shown until a run finds nothing: that run has to begin again.
        if (found.length > 0)
          await writeAuditRun(db, { part: null, position: null, finishedAt: null })
        return found
      }
      const { violations, next } = await auditSlice(db, part, position)
      found.push(...violations)
      if (next === null) break
      position = next
      await writeAuditRun(db, { part: part.name, position, finishedAt: null })
    }
  }
  await writeAuditRun(db, { part: null, position: null, finishedAt: clock.now() })
  return found
}

/** In a transaction of its own, because the limit that protects requests is too short for some slices. */
const auditSlice = (
  db: Db,
  part: AuditPart,
  position: string | null,
): ReturnType<AuditPart['audit']> =>
  db.transaction((tx) => part.audit(tx, position), { statementTimeoutMs: SLICE_TIMEOUT_MS })

const SLICE_TIMEOUT_MS = 15 * 60_000

const POSTINGS_A_SLICE = 50_000n
const ROWS_A_SLICE = 50_000

const LEDGER_PARTS: readonly AuditPart[] = [
  {
    name: 'postings',
    audit: async (db, position) => {
      const after = BigInt(position ?? 0)
      const end = after + POSTINGS_A_SLICE
      const isLast = end >= (await lastPostingId(db))
      const violations = await auditPostings(db, after, end)
      return { violations, next: isLast ? null : String(end) }
    },
  },
  {
    name: 'balances',
    audit: async (db, position) => {
      const after = position ?? '0'
      const upTo = await endOfSlice(db, 'balance', { after, limit: ROWS_A_SLICE })
      if (upTo === null) return { violations: [], next: null }
      const violations = await auditBalancesBetween(db, BigInt(after), BigInt(upTo))
      return { violations, next: upTo }
    },
  },
  partOfIds({
    name: 'journals',
    endOfSlice: (db, after) => endOfSlice(db, 'journal', { after, limit: ROWS_A_SLICE }),
    audits: [(db, { after, upTo }) => auditJournals(db, after, upTo)],
  }),
  partOfIds({
    name: 'holds',
    endOfSlice: (db, after) => endOfSlice(db, 'hold_resolution', { after, limit: ROWS_A_SLICE }),
    audits: [(db, { after, upTo }) => auditHolds(db, after, upTo)],
  }),
  {
    name: 'escrow',
    audit: async (db) => ({ violations: await auditEscrow(db), next: null }),
  },
]
