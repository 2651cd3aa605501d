// The prices of the whole catalogue in one answer: some megabytes, prepared once for each way of paying
// and sent many times. Only the request's id is written for each request, in front of what is shared.
import type { IncomingHttpHeaders } from 'node:http'
import type { CatalogueView } from '#catalog'
import type { Clock } from '#platform/clock'
import { SUCCESS_TAIL, successHead } from '#wire/envelope'
import { PreparedResponse } from '../shared/operation.ts'
import type { TaggedTexts } from './market-price-tags.ts'
import { prepareTail, type SharedTail } from './market-shared-tail.ts'

export interface WholePricesDeps {
  readonly view: CatalogueView
  readonly clock: Clock
}

export interface WholePrices {
  respond(requestId: string, headers: IncomingHttpHeaders): PreparedResponse
}

/** While prices move, everything is written again no more often than this, … */
const REST_MS = 3000
/** … and what is older than this is not sent. In between the old is sent while the new is written. */
const STALE_MS = 10_000
/** Each is some megabytes. */
const REMEMBERED = 8
const ITEMS_A_TURN = 500

interface Shelf {
  version: number
  builtAtMs: number
  current: WholePrices | null
  building: Promise<WholePrices> | null
}

export function createWholePrices({
  view,
  clock,
}: WholePricesDeps): (texts: TaggedTexts) => Promise<WholePrices> {
  const shelves = new Map<string, Shelf>()

  const build = (shelf: Shelf, texts: TaggedTexts): Promise<WholePrices> => {
    shelf.building ??= (async () => {
      const version = view.version
      const builtAtMs = clock.now().getTime()
      const tail = await prepareTail(dataOf(view, texts), SUCCESS_TAIL)
      Object.assign(shelf, { version, builtAtMs, current: wholePricesOf(tail) })
      return shelf.current as WholePrices
    })().finally(() => {
      shelf.building = null
    })
    return shelf.building
  }

  return async (texts) => {
    const shelf = shelfFor(shelves, texts.tag.key)
    if (shelf.current === null) return build(shelf, texts)
    if (shelf.version === view.version) return shelf.current
    const ageMs = clock.now().getTime() - shelf.builtAtMs
    if (ageMs >= STALE_MS) return build(shelf, texts)
    // Nobody waits for it, and whoever comes next asks for it again if it failed.
    if (ageMs >= REST_MS) build(shelf, texts).catch(() => {})
    return shelf.current
  }
}

function shelfFor(shelves: Map<string, Shelf>, key: string): Shelf {
  const known = shelves.get(key)
  const shelf = known ?? { version: -1, builtAtMs: 0, current: null, building: null }
  if (known !== undefined) shelves.delete(key)
  else if (shelves.size >= REMEMBERED) shelves.delete(shelves.keys().next().value as string)
  shelves.set(key, shelf)
  return shelf
}

/** The text of the answer's data, in pieces; between two of them other requests are served. */
async function* dataOf(view: CatalogueView, texts: TaggedTexts): AsyncGenerator<string> {
  // The entries of one moment. A price that moves while this is written is read once, before or after.
  const { entries, total } = view.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER })
  yield '{"items":['
  for (let from = 0; from < total; from += ITEMS_A_TURN) {
    const items = entries.slice(from, from + ITEMS_A_TURN).map(texts.priceItem)
    yield `${from === 0 ? '' : ','}${items.join(',')}`
    await new Promise((resolve) => setImmediate(resolve))
  }
  yield `],"total":${total},"page":1,"limit":-1,"totalPages":${total > 0 ? 1 : 0}}`
}

const wholePricesOf = (tail: SharedTail): WholePrices => ({
  respond: (requestId, headers) => {
    const shared = {
      etag: tail.etag,
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
    }
    if (matches(headers['if-none-match'], tail.etag)) {
      return new PreparedResponse(Buffer.alloc(0), shared, 304)
    }
    const head = Buffer.from(successHead(requestId))
    const isGzip = acceptsGzip(headers['accept-encoding'])
    const { body, byteLength } = isGzip ? tail.gzip(head) : tail.plain(head)
    return new PreparedResponse(body, {
      ...shared,
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      'content-length': String(byteLength),
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
