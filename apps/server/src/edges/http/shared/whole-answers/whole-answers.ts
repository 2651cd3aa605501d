// Answers of some megabytes, prepared once for each way of asking and sent many times. Only the request's id
// is written for each request, in front of what is shared.
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '#infra/process/clock'
import { memoized } from '#infra/process/memo'
import { SUCCESS_TAIL, successHead } from '#wire/envelope'
import { PreparedResponse } from '../operation.ts'
import { prepareTail, type Segment, type SharedTail } from './shared-tail.ts'

export interface WholeAnswer {
  respond(requestId: string, headers: IncomingHttpHeaders): PreparedResponse
}

export interface WholeAnswersDeps<Question> {
  readonly clock: Clock
  /** The same for questions with the same answer. */
  keyOf(question: Question): string
  /** Another one says that the answer may have changed. */
  versionOf(question: Question): string
  /** The text of the answer's data; between two segments other requests are served. */
  dataOf(question: Question): AsyncGenerator<Segment>
}

/** While prices move, everything is written again no more often than this, … */
const REST_MS = 3000
/** … and what is older than this is not sent. In between the old is sent while the new is written. */
const STALE_MS = 10_000
/** Each is some megabytes. */
const REMEMBERED = 8

interface CachedAnswer {
  version: string
  builtAtMs: number
  tail: SharedTail | null
  building: Promise<SharedTail> | null
}

export function createWholeAnswers<Question>({
  clock,
  keyOf,
  versionOf,
  dataOf,
}: WholeAnswersDeps<Question>): (question: Question) => Promise<WholeAnswer> {
  const cachedFor = memoized<CachedAnswer>(REMEMBERED, () => ({
    version: '',
    builtAtMs: 0,
    tail: null,
    building: null,
  }))

  const build = (cached: CachedAnswer, question: Question): Promise<SharedTail> => {
    cached.building ??= (async () => {
      const version = versionOf(question)
      const builtAtMs = clock.now().getTime()
      const tail = await prepareTail(dataOf(question), SUCCESS_TAIL, cached.tail?.packed)
      Object.assign(cached, { version, builtAtMs, tail })
      return tail
    })().finally(() => {
      cached.building = null
    })
    return cached.building
  }

  const tailFor = async (question: Question): Promise<SharedTail> => {
    const cached = cachedFor(keyOf(question))
    if (cached.tail === null) return build(cached, question)
    if (cached.version === versionOf(question)) return cached.tail
    const ageMs = clock.now().getTime() - cached.builtAtMs
    if (ageMs >= STALE_MS) return build(cached, question)
    // No request waits for it, and the next request starts it again if it failed.
    if (ageMs >= REST_MS) build(cached, question).catch(() => {})
    return cached.tail
  }
  return async (question) => wholeAnswerOf(await tailFor(question))
}

const wholeAnswerOf = (tail: SharedTail): WholeAnswer => ({
  respond: (requestId, headers) => {
    const shared = {
      etag: tail.etag,
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
    }
    if (matches(headers['if-none-match'], tail.etag)) {
      return new PreparedResponse('', shared, 304)
    }
    const head = Buffer.from(successHead(requestId))
    const isGzip = acceptsGzip(headers['accept-encoding'])
    return new PreparedResponse(isGzip ? tail.gzip(head) : tail.plain(head), {
      ...shared,
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    })
  },
})

/** Weak comparison, RFC 9110 section 13.1.2. */
function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return asked
    .split(',')
    .map((one) => one.trim())
    .some((one) => one === '*' || one.replace(/^W\//, '') === opaque)
}

/** RFC 9110 section 12.5.3, as far as two codings need it. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map<string, number>()
  for (const part of String(header ?? '').split(',')) {
    const [coding = '', ...parameters] = part.toLowerCase().split(';')
    const weight = parameters.map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean)
    weights.set(coding.trim(), weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
