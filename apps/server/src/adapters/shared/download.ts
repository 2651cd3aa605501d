import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { request } from 'undici'

/** A large file from a supplier, as text while it arrives. */
export type Download =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** Must be read to its end or abandoned by `break`; throws when the file is cut or too large. */
      readonly chunks: AsyncIterable<string>
    }
  | { readonly kind: 'failed'; readonly detail: string }

export interface DownloadRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** For the whole file. */
  readonly deadlineMs: number
  /** After decompression: a small file must not unfold to fill the memory. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/**
 * Files run to hundreds of megabytes (a market's whole listing book), so they are neither collected nor
 * parsed whole. No key is ever in these addresses, and redirects are not followed.
 */
export async function download(options: DownloadRequest): Promise<Download> {
  const deadline = AbortSignal.timeout(options.deadlineMs)
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
  try {
    const answer = await request(options.url, {
      method: 'GET',
      headers: { 'accept-encoding': 'gzip, br', 'user-agent': 'Tradepost/1.0', ...options.headers },
      signal,
      headersTimeout: Math.min(options.deadlineMs, 30_000),
      bodyTimeout: 30_000,
    })
    const headers = plainHeaders(answer.headers)
    return {
      kind: 'answer',
      status: answer.statusCode,
      headers,
      chunks: textOf(answer.body, headers['content-encoding'] ?? '', options.maxBytes),
    }
  } catch (error) {
    return { kind: 'failed', detail: describe(error) }
  }
}

/** Discards a body that is not needed, so that its connection is free again. */
export async function discard(download: Download): Promise<void> {
  if (download.kind !== 'answer') return
  try {
    for await (const _ of download.chunks) break
  } catch {
    // It was not wanted anyway.
  }
}

async function* textOf(
  body: NodeJS.ReadableStream & { destroy(): unknown },
  encoding: string,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const plain = decompressed(body, encoding)
  const decoder = new TextDecoder()
  let bytes = 0
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`)
      yield decoder.decode(chunk, { stream: true })
      // What has already arrived is handed on without a break: the event loop stood still for up to
      // 180 ms while a market's book was read; with this, for 20 ms of CPU.
      await nextTurn()
    }
    yield decoder.decode()
  } finally {
    body.destroy()
  }
}

function decompressed(
  body: NodeJS.ReadableStream & { destroy(): unknown },
  encoding: string,
): NodeJS.ReadableStream {
  if (encoding === '') return body
  const unfold = encoding === 'br' ? createBrotliDecompress() : createGunzip()
  // `pipe` does not hand on errors: a cut body would leave the reader waiting for ever.
  body.on('error', (error: Error) => unfold.destroy(error))
  return body.pipe(unfold)
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}

export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? `${code}: ${error.message}` : error.message
}
