// Fetches pictures of items from where their lists say they are. Lists and markets name the addresses, so a
// picture is a file from outside: it is bounded, decoded, and written anew before anybody sees it.
import { Agent } from 'undici'
import { BlockedAddress, guardedConnector } from '#infra/http/guarded-connector'
import { createNameResolver } from '#infra/http/name-resolver'
import { createLines } from '#infra/limits/lines'
import type { PictureFiles, PictureSource } from '#ports/catalog'

export interface PictureOptions {
  /** Before a picture that has no address but the platform's hash, with a slash at its end. */
  readonly baseUrl: string
  isAllowedAddress(address: string): boolean
  /** The sandbox's: plain http, any port, and drawings (SVG). */
  readonly isSandbox: boolean
}

export interface OpenPictureSource extends PictureSource {
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
const MAX_BYTES = 2 * 1024 * 1024
/** Of a decoded picture: a small file may stand for a very large one. */
const MAX_PIXELS = 2048 * 2048
/** How files of PNG, JPEG and WebP begin, in hex. */
const RASTER = /^(89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/
const DRAWING = /^\s*<(\?xml|svg)\b/

/** Follows no redirect and keeps no cookie. */
export function createPictureSource(options: PictureOptions): OpenPictureSource {
  const resolver = createNameResolver()
  const agent = new Agent({
    connect: guardedConnector(options.isAllowedAddress, resolver),
    connections: 4,
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
  })
  const inLine = createLines()
  return {
    fetch: async (source, signal) => {
      const url = addressOf(source, options)
      if (url === null) return null
      const bytes = await download(agent, url, AbortSignal.any([signal, deadline()])).catch(
        (error: Error) => {
          if (isBlocked(error) || isBlocked(error.cause)) return null
          throw error
        },
      )
      if (bytes === null || !isPicture(bytes, options)) return null
      // A decoded one takes memory: one at a time.
      return inLine('', () => redraw(bytes))
    },
    close: () => agent.close(),
  }
}

const isBlocked = (error: unknown): boolean => error instanceof BlockedAddress

const deadline = (): AbortSignal => AbortSignal.timeout(DEADLINE_MS)

/** Null for what is no address that we fetch from. */
function addressOf(source: string, { baseUrl, isSandbox }: PictureOptions): URL | null {
  const text = /^[\w-]+$/.test(source) ? baseUrl + source : source
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.username !== '' || url.password !== '') return null
  if (isSandbox) return url.protocol === 'http:' || url.protocol === 'https:' ? url : null
  return url.protocol === 'https:' && url.port === '' ? url : null
}

/** Null: asking again is in vain. */
async function download(agent: Agent, url: URL, signal: AbortSignal): Promise<Buffer | null> {
  const { statusCode, body } = await agent.request({
    ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET', signal },
    headers: { accept: 'image/webp,image/png,image/jpeg', 'user-agent': 'tradepost' },
  })
  if (statusCode !== 200) {
    await body.dump()
    const isForNow = statusCode === 408 || statusCode === 429 || statusCode >= 500
    if (isForNow) throw new Error(`the picture's host answered ${statusCode}`)
    return null
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the stream.
    if (length > MAX_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** By its first bytes, so that a library decodes nothing of another form. */
function isPicture(bytes: Buffer, { isSandbox }: Pick<PictureOptions, 'isSandbox'>): boolean {
  if (RASTER.test(bytes.toString('hex', 0, 12))) return true
  return isSandbox && DRAWING.test(bytes.toString('latin1', 0, 64))
}

/**
 * Both sizes, the whole picture in the middle of a transparent square, without what the file says of itself.
 * The library is loaded by the first picture: 25 MB that a process without pictures does not need.
 */
async function redraw(bytes: Buffer): Promise<PictureFiles | null> {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const input = { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' } as const
  try {
    const draw = (edge: number): Promise<Buffer> =>
      sharp(bytes, input)
        .resize(edge, edge, { fit: 'contain', background: TRANSPARENT })
        .webp({ quality: 82, alphaQuality: 90 })
        .toBuffer()
    const [small, large] = [await draw(64), await draw(256)]
    return { small, large }
  } catch {
    // It is none, or a broken one.
    return null
  }
}

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 }
