// An HTTP/1.1 client that does next to nothing, so that on a machine of few cores the time goes to the
// server and not to the load. It writes prepared bytes, reads the status and `content-length`, and counts.
// autocannon has no way to send each of many prepared bodies exactly once, and one tool for every row
// keeps the rows comparable.
import { connect } from 'node:net'

export interface LoadTask {
  readonly port: number
  readonly connections: number
  /** Whole requests, head and body, as they go over the wire. */
  readonly requests: readonly string[]
  /** Null: each request once. Otherwise they are sent in turn, again and again, for this long. */
  readonly durationMs: number | null
  /**
   * Requests fall due at this rate, whatever became of those before; a request that had to wait for a free
   * connection is measured from the moment when it was due. Without it, each connection sends at once again.
   */
  readonly duePerSecond?: number
}

export interface LoadResult {
  readonly count: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly bytes: number
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The body of the first answer that was not 2xx. */
  readonly firstFailure: string | null
}

export async function runLoad(task: LoadTask): Promise<LoadResult> {
  const requests = task.requests.map((text) => Buffer.from(text))
  const tally: Tally = { latencies: [], bytes: 0, statuses: {}, firstFailure: null }
  const startedAt = performance.now()
  const endsAt = task.durationMs === null ? Number.POSITIVE_INFINITY : startedAt + task.durationMs
  let cursor = 0
  const next = (): Due | undefined => {
    const index = cursor
    const dueAt =
      task.duePerSecond === undefined ? null : startedAt + (index * 1000) / task.duePerSecond
    if ((dueAt ?? performance.now()) >= endsAt) return undefined
    cursor++
    const bytes = requests[task.durationMs === null ? index : index % requests.length]
    return bytes && { bytes, dueAt }
  }
  await Promise.all(Array.from({ length: task.connections }, () => drive(task.port, next, tally)))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = Float64Array.from(tally.latencies).sort()
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return {
    count: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    bytes: tally.bytes,
    statuses: tally.statuses,
    firstFailure: tally.firstFailure,
  }
}

interface Due {
  readonly bytes: Buffer
  /** By `performance.now()`; null: now. */
  readonly dueAt: number | null
}

interface Tally {
  readonly latencies: number[]
  bytes: number
  readonly statuses: Record<string, number>
  firstFailure: string | null
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const IDLE_TIMEOUT_MS = 30_000

/** One connection: a request leaves when it is due and the answer to the one before has come whole. */
function drive(port: number, next: () => Due | undefined, tally: Tally): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let sentAt = 0
  let head: Buffer | null = null
  let left = 0
  let failure: Buffer[] | null = null

  const send = (): void => {
    const request = next()
    if (request === undefined) {
      socket.end()
      resolve()
      return
    }
    const now = performance.now()
    const waitMs = (request.dueAt ?? now) - now
    if (waitMs > 0) {
      setTimeout(() => {
        sentAt = performance.now()
        socket.write(request.bytes)
      }, waitMs)
    } else {
      sentAt = request.dueAt ?? now
      socket.write(request.bytes)
    }
  }
  const onBody = (chunk: Buffer): void => {
    left -= chunk.length
    failure?.push(chunk)
    if (left > 0) return
    tally.latencies.push(performance.now() - sentAt)
    if (failure) tally.firstFailure ??= Buffer.concat(failure).toString('utf8').slice(0, 500)
    send()
  }
  socket.on('connect', send)
  socket.on('data', (chunk) => {
    tally.bytes += chunk.length
    if (left > 0) return onBody(chunk)
    const bytes = head ? Buffer.concat([head, chunk]) : chunk
    const end = bytes.indexOf(HEAD_END)
    head = end < 0 ? bytes : null
    if (end < 0) return
    const text = bytes.toString('latin1', 0, end)
    const length = CONTENT_LENGTH.exec(text)?.[1]
    if (length === undefined) {
      socket.destroy(new Error(`an answer without content-length: ${text.slice(0, 300)}`))
      return
    }
    const status = text.slice(9, 12)
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
    failure = status.startsWith('2') ? null : []
    left = Number(length)
    onBody(bytes.subarray(end + HEAD_END.length))
  })
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy(new Error('no answer in 30 s')))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed the connection')))
  return promise
}
