// Sends a provider's notices to the service, with the provider's own schedule of retries. A notice is stored
// before it is sent; a restart continues where the schedule stood.
import { createAgenda } from '../kernel/agenda.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'
import type { NoticeAddress } from './index.ts'

export interface NoticeDialect {
  /** Below the service's address: `/inbound/gateway`. */
  readonly path: string
  /** Pauses before the second attempt, the third, and so on. */
  readonly retryAfterMs: readonly number[]
  /** Headers with the signature over this body at this moment; a forged notice has a false one. */
  sign(body: string, options: { readonly nowMs: number; readonly nonce: string }): Headers
  isReceived(status: number, body: string): boolean
}

type Headers = Readonly<Record<string, string>>

/** What goes wrong with a notice. */
export type NoticeFault =
  /** Never sent. */
  | { readonly kind: 'lost' }
  /** Sent twice at the same moment. */
  | { readonly kind: 'doubled' }
  | { readonly kind: 'delayed'; readonly durationMs: number }
  /** Kept until the next notice has been sent. */
  | { readonly kind: 'reordered' }
  /** Preceded by a copy with false figures and a false signature. */
  | { readonly kind: 'forged' }

export interface NoticeSender {
  send(subject: string, body: Readonly<Record<string, unknown>>, fault: NoticeFault | null): void
  /** Sends every notice again with the bytes, headers and time of its first attempt. */
  replay(): void
  /** Newest first. */
  list(): readonly NoticeView[]
  runDue(): void
  nextDueMs(): number | null
  close(): void
}

export interface NoticeView {
  readonly subject: string
  readonly state: Row['state']
  readonly attempts: number
  readonly status: number | null
  readonly at: string
}

interface Row {
  readonly seq: number
  readonly subject: string
  readonly body: string
  readonly createdMs: number
  readonly state: 'waiting' | 'kept' | 'received' | 'given_up' | 'lost'
  readonly dueMs: number
  readonly attempts: number
  /** Of the last attempt; null when no answer came. */
  readonly status: number | null
  readonly isForged: boolean
  /** As first sent, for a replay. */
  readonly firstHeaders: Headers | null
}

type NewRow = Omit<Row, 'seq' | 'createdMs' | 'attempts' | 'status' | 'firstHeaders'>

const TIMEOUT_MS = 5_000
const MOST_LISTED = 200

export interface NoticeSenderDeps {
  readonly store: Store
  readonly clock: Clock
  /** Of its table. */
  readonly name: string
  readonly address: NoticeAddress
  readonly dialect: NoticeDialect
}

export function createNoticeSender(deps: NoticeSenderDeps): NoticeSender {
  const { store, clock, address, dialect } = deps
  const notices = createNotices(deps)
  const inFlight = new Set<number>()
  const closing = new AbortController()

  const post = (body: string, headers: Headers) => {
    const base = address()
    return base === null
      ? Promise.resolve(null)
      : postNotice(`${base}${dialect.path}`, { body, headers, signal: closing.signal })
  }
  const attempt = async (row: Row): Promise<void> => {
    inFlight.add(row.seq)
    const nonce = `n${row.seq}a${row.attempts + 1}`
    const headers = dialect.sign(row.body, { nowMs: clock.nowMs(), nonce })
    const answer = await post(row.body, row.isForged ? falsified(headers) : headers)
    inFlight.delete(row.seq)
    if (closing.signal.aborted) return
    const isReceived = answer !== null && dialect.isReceived(answer.status, answer.body)
    const pauseMs = row.isForged ? undefined : dialect.retryAfterMs[row.attempts]
    notices.write({
      ...row,
      attempts: row.attempts + 1,
      status: answer?.status ?? null,
      firstHeaders: row.firstHeaders ?? headers,
      state: isReceived ? 'received' : pauseMs === undefined ? 'given_up' : 'waiting',
      dueMs: clock.nowMs() + (pauseMs ?? 0),
    })
  }

  return {
    send(subject, body, fault) {
      const nowMs = clock.nowMs()
      store.atomically(() => {
        const added = rowsOf(subject, JSON.stringify(body), { fault, nowMs })
        for (const fields of added) notices.add(fields)
        if (fault?.kind !== 'reordered') notices.releaseKept()
      })
    },
    replay() {
      for (const { body, firstHeaders, isForged } of notices.rows) {
        if (firstHeaders !== null && !isForged) void post(body, firstHeaders)
      }
    },
    list: () => notices.rows.slice(-MOST_LISTED).reverse().map(viewOf),
    runDue() {
      for (;;) {
        const row = notices.takeDue()
        if (row === undefined) return
        if (row.state === 'waiting' && !inFlight.has(row.seq)) void attempt(row)
      }
    },
    nextDueMs: () => notices.nextDueMs(),
    close: () => closing.abort(),
  }
}

/** The notices of one sender, stored when they change, with the moments at which they are due. */
function createNotices({ store, clock, name }: NoticeSenderDeps) {
  const table = store.table(name)
  const rows: Row[] = [...table.rows()].map(({ row }) => JSON.parse(row) as Row)
  const agenda = createAgenda<number>()
  const plan = ({ state, dueMs, seq }: Row): void => {
    if (state === 'waiting') agenda.add(dueMs, seq)
  }
  const write = (row: Row): void => {
    rows[row.seq - 1] = row
    table.write(row.seq, JSON.stringify(row))
    plan(row)
  }
  rows.forEach(plan)
  return {
    rows: rows as readonly Row[],
    write,
    add: (fields: NewRow): void =>
      write({
        ...fields,
        seq: rows.length + 1,
        createdMs: clock.nowMs(),
        attempts: 0,
        status: null,
        firstHeaders: null,
      }),
    releaseKept: (): void => {
      for (const row of rows) {
        if (row.state === 'kept') write({ ...row, state: 'waiting', dueMs: clock.nowMs() })
      }
    },
    takeDue: (): Row | undefined => {
      const seq = agenda.takeDue(clock.nowMs())
      return seq === undefined ? undefined : rows[seq - 1]
    },
    nextDueMs: () => agenda.nextAtMs(),
  }
}

const viewOf = ({ subject, state, attempts, status, createdMs }: Row): NoticeView => ({
  ...{ subject, state, attempts, status },
  at: new Date(createdMs).toISOString(),
})

/** What one announcement becomes: none, one or two notices. */
function rowsOf(
  subject: string,
  body: string,
  { fault, nowMs }: { readonly fault: NoticeFault | null; readonly nowMs: number },
): readonly NewRow[] {
  const plain = { subject, body, state: 'waiting', dueMs: nowMs, isForged: false } as const
  switch (fault?.kind) {
    case undefined:
      return [plain]
    case 'lost':
      return [{ ...plain, state: 'lost' }]
    case 'doubled':
      return [plain, plain]
    case 'delayed':
      return [{ ...plain, dueMs: nowMs + fault.durationMs }]
    case 'reordered':
      return [{ ...plain, state: 'kept' }]
    case 'forged':
      return [{ ...plain, body: withFalseFigures(body), isForged: true }, plain]
  }
}

/** Null when no answer came in time. */
async function postNotice(
  url: string,
  { body, headers, signal }: { body: string; headers: Headers; signal: AbortSignal },
): Promise<{ readonly status: number; readonly body: string } | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return { status: response.status, body: await response.text() }
  } catch {
    return null
  }
}

/** The same headers, with the last hex digit of the signature changed. */
function falsified(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /signature$/i.test(name)
        ? value.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
        : value,
    ]),
  )
}

/** A notice that claims a thousand times the amount. */
const withFalseFigures = (body: string): string =>
  body.replace(/(mount[a-zA-Z]*\\?":\s?\\?"?)(\d)/g, '$1999$2')
