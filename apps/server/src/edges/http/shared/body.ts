// Reads a request's body: one content type, a bounded size, strict UTF-8, JSON, a bounded depth. What is
// wrong with it is a value and not an error, because the framework would cut the connection of an error
// and the client might never see the answer.
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { ValidationProblem } from '@tradepost/contract'
import { type Failure, invalid, unreadable } from './failure.ts'
import { findForbiddenText } from './forbidden-text.ts'

/** A body that was sent and read. `undefined` stands for none. */
export interface ReadBody {
  readonly value: unknown
  readonly bytes: Buffer
}

export class UnreadBody {
  readonly failure: Failure
  constructor(failure: Failure) {
    this.failure = failure
  }
}

/** Deeper than any shape of the contract; a recursive reader would overflow its stack at some depth. */
const MAX_DEPTH = 32
/** How much of a refused body is read and dropped, so that a client in mid-sentence hears the answer. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024

type Done = (body: ReadBody | UnreadBody | undefined) => void

export function readBody(req: IncomingMessage, limitBytes: number, done: Done): void {
  const { headers } = req
  const failure = refusedUnread(headers, limitBytes)
  // An empty body has no type to be wrong about.
  if (headers['content-length'] === '0') done(undefined)
  else if (failure !== null) done(new UnreadBody(failure))
  else collect(req, limitBytes, done)
}

function refusedUnread(headers: IncomingHttpHeaders, limitBytes: number): Failure | null {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return unreadable(415)
  if (!isJson(headers['content-type'])) return unreadable(415)
  return Number(headers['content-length']) > limitBytes ? unreadable(413) : null
}

function collect(req: IncomingMessage, limitBytes: number, done: Done): void {
  const chunks: Buffer[] = []
  let byteLength = 0
  const finish = (body: ReadBody | UnreadBody | undefined): void => {
    req.removeListener('data', onData)
    req.removeListener('end', onEnd)
    req.removeListener('error', onCut)
    req.removeListener('close', onCut)
    done(body)
  }
  const onData = (chunk: Buffer): void => {
    byteLength += chunk.length
    if (byteLength > limitBytes) finish(new UnreadBody(unreadable(413)))
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    const [first] = chunks
    if (first === undefined) finish(undefined)
    else finish(parseBody(chunks.length === 1 ? first : Buffer.concat(chunks, byteLength)))
  }
  // The client disconnected before its body was complete. Only the log shows the answer.
  const onCut = (): void => {
    req.on('error', () => {})
    finish(new UnreadBody(unreadable(400, 'The body ended early.')))
  }
  req.on('data', onData)
  req.on('end', onEnd)
  req.on('error', onCut)
  req.on('close', onCut)
}

/** Drops what is left of a body that will not be read; cuts the connection of one that does not end. */
export function discardRest(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return
  let discarded = 0
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) req.socket.destroy()
  })
  req.on('error', () => {})
  req.resume()
}

export function parseBody(bytes: Buffer): ReadBody | UnreadBody {
  if (!isUtf8(bytes)) return new UnreadBody(unreadable(400, 'The body is not UTF-8.'))
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    // V8's parser does not recurse, so depth is looked at afterwards and malformed stays malformed.
    value = JSON.parse(text)
  } catch {
    return new UnreadBody(unreadable(400, 'The body is not JSON.'))
  }
  const problem = isTooDeep(bytes)
    ? {
        in: 'body' as const,
        pointer: '',
        rule: 'maxDepth',
        message: `must not nest deeper than ${MAX_DEPTH}`,
      }
    : findForbiddenText(value, text)
  if (problem) return new UnreadBody(invalid([problem satisfies ValidationProblem]))
  return { value, bytes }
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || (contentType !== undefined && JSON_TYPE.test(contentType))

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Counts brackets outside strings of a text that is known to be JSON. */
function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i++
      while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--
    }
  }
  return false
}
