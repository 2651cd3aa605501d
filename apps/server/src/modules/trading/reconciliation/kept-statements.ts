// Statements of a market with a long history. What its pages have said is kept, so that a statement costs the
// pages that are new and the look-ups of orders that are not final, however long the history is.

import type { AccountRef } from '#buying'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type {
  KeepPages,
  ListedOrder,
  StatementAnswer,
  StatementPages,
  Statements,
} from './ports.ts'
import {
  countSince,
  findKept,
  findRun,
  listLines,
  listUnsettled,
  type Run,
  saveLooked,
  saveRows,
} from './store/statement-lines.ts'

export interface KeptDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
}

/** Ten thousand orders: what a statement reads at most, the rest at the next. */
const MOST_PAGES = 200
/** So many kept rows begin a page that goes on from them: some may have gone from the history. */
const OVERLAP = 10
/** Of a history that was read to its end. */
const BEGINNING = new Date(Date.UTC(1900, 0))

type Context = Parameters<Statements['read']>[1]
type Unavailable = Extract<StatementAnswer, { kind: 'unavailable' }>

export const createKeepPages =
  (deps: KeptDeps): KeepPages =>
  (pages) => ({
    id: pages.id,
    account: pages.account,
    traits: pages.traits,
    read: async (from, context) => {
      const run = await readNewest(deps, pages, context)
      if ('kind' in run) return run
      const whole = await readOlder(deps, pages, { run, from, context })
      if ('kind' in whole) return whole
      const isAnswered = await lookUp(deps, pages, { from, context })
      if (typeof isAnswered !== 'boolean') return isAnswered
      const { lines, isAll } = await listLines(deps.db, refOf(pages), from)
      return { kind: 'read', lines, isWhole: isAnswered && isAll && whole.completeSince < from }
    },
  })

const refOf = ({ id, account }: StatementPages): AccountRef => ({ market: id, account })

/** The run, and how many pages it took. */
interface Reading extends Run {
  readonly pagesRead: number
  /** A row that cannot be understood ends it: what is older is not known to be complete. */
  readonly isCut: boolean
}

/**
 * From the newest page on until one meets what is kept: a line of the run from before the last reading, by
 * the time within which the market may not have shown an order yet. Without such a page for very long a new
 * run begins.
 */
async function readNewest(
  deps: KeptDeps,
  pages: StatementPages,
  context: Context,
): Promise<Reading | Unavailable> {
  const { db, clock, log } = deps
  const readAt = clock.now()
  const known = await findRun(db, refOf(pages))
  const found: ListedOrder[] = []
  const save = async (completeSince: Date, pagesRead: number, isCut = false): Promise<Reading> => {
    await saveRows(db, refOf(pages), found, { completeSince, readAt })
    return { completeSince, readAt, pagesRead, isCut }
  }
  for (let pagesRead = 1, skip = 0; ; pagesRead++) {
    const page = await pages.page(skip, context)
    if (page.kind === 'unavailable') return page
    const { rows, isCut } = readable(page.rows)
    found.push(...rows)
    skip += page.rows.length
    const oldest = found.at(-1)?.placedAt ?? readAt
    if (page.rows.length === 0) return save(BEGINNING, pagesRead)
    if (known !== null && (await meets(deps, pages, { rows, known }))) {
      return save(known.completeSince, pagesRead)
    }
    // All of the run was read again, or there was none: it goes on from here.
    if (isCut || known === null || oldest < known.completeSince) {
      return save(oldest, pagesRead, isCut)
    }
    if (pagesRead === MOST_PAGES) {
      const fields = { alarm: 'statement_gap', ...refOf(pages), completeSince: oldest }
      log.error(fields, 'the pages of a statement do not meet what was read before')
      return save(oldest, pagesRead)
    }
  }
}

async function meets(
  { db }: KeptDeps,
  pages: StatementPages,
  { rows, known }: { readonly rows: readonly ListedOrder[]; readonly known: Run },
): Promise<boolean> {
  const shownBy = new Date(known.readAt.getTime() - pages.traits.settleMs)
  const old = rows.filter(({ placedAt }) => placedAt < shownBy && placedAt > known.completeSince)
  const orderIds = old.map(({ orderId }) => orderId)
  return orderIds.length > 0 && (await findKept(db, refOf(pages), orderIds))
}

/** What the run lacks of the window, page by page: each is kept, so the next statement goes on from it. */
async function readOlder(
  deps: KeptDeps,
  pages: StatementPages,
  { run, from, context }: { readonly run: Reading; readonly from: Date; readonly context: Context },
): Promise<Run | Unavailable> {
  const { db } = deps
  let { completeSince } = run
  const { readAt } = run
  let skip = Math.max(0, (await countSince(db, refOf(pages), completeSince)) - OVERLAP)
  for (let read = run.pagesRead; completeSince >= from && !run.isCut && read < MOST_PAGES; read++) {
    const page = await pages.page(skip, context)
    if (page.kind === 'unavailable') return page
    const { rows, isCut } = readable(page.rows)
    const [first] = rows
    // The pages after the first go on from one another.
    const isJoined = read > run.pagesRead || first === undefined || first.placedAt >= completeSince
    if (!isJoined) break
    const isEnd = page.rows.length === 0
    const oldest = isEnd ? BEGINNING : (rows.at(-1)?.placedAt ?? completeSince)
    if (oldest < completeSince) completeSince = oldest
    await saveRows(db, refOf(pages), rows, { completeSince, readAt })
    if (isCut) break
    skip += page.rows.length
  }
  return { completeSince, readAt }
}

/** Up to the first row that cannot be understood. */
function readable(rows: readonly (ListedOrder | null)[]) {
  const end = rows.indexOf(null)
  const read = (end < 0 ? rows : rows.slice(0, end)).filter((row) => row !== null)
  return { rows: read, isCut: end >= 0 }
}

/** False: of some orders nothing is known now. */
async function lookUp(
  { db, clock }: KeptDeps,
  pages: StatementPages,
  { from, context }: { readonly from: Date; readonly context: Context },
): Promise<boolean | Unavailable> {
  const orderIds = await listUnsettled(db, refOf(pages), { from, settleMs: pages.traits.settleMs })
  if (orderIds.length === 0) return true
  const at = clock.now()
  const answer = await pages.lookUp(orderIds, context)
  if (answer.kind === 'unavailable') return answer
  await saveLooked(db, refOf(pages), answer.lines, at)
  return new Set(answer.lines.map(({ orderId }) => orderId)).size === orderIds.length
}
