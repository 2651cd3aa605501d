// A collector of traces, as an operator has one: it takes OTLP over HTTP and keeps every byte. It can also be
// the collector that is of no use: one that refuses, or takes requests and never answers.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly hasFailed: boolean
}

export type CollectorMode = 'takes' | 'refuses' | 'hangs'

export interface Collector {
  readonly url: string
  /** Of every request, its head included. */
  bytes(): string
  requests(): number
  spans(): CollectedSpan[]
  named(name: string): CollectedSpan[]
  become(mode: CollectorMode): void
  close(): Promise<void>
}

export async function startCollector(first: CollectorMode = 'takes'): Promise<Collector> {
  let mode = first
  const heads: string[] = []
  const bodies: string[] = []
  const taken: string[] = []
  const server = createServer((request, response) => {
    heads.push(`${request.method} ${request.url} ${request.rawHeaders.join(' ')}`)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      bodies.push(body)
      if (mode === 'hangs') return
      if (mode === 'takes') taken.push(body)
      response.writeHead(mode === 'takes' ? 200 : 429, { 'content-type': 'application/json' })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const spans = (): CollectedSpan[] => taken.flatMap(spansIn)
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => [...heads, ...bodies].join('\n'),
    requests: () => heads.length,
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    become: (next) => {
      mode = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes?: readonly { key: string; value: Record<string, string | number> }[]
  readonly links?: readonly { traceId: string; spanId: string }[]
  readonly status?: { readonly code?: number }
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const STATUS_ERROR = 2

const spansIn = (body: string): CollectedSpan[] =>
  (JSON.parse(body) as OtlpRequest).resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ traceId, spanId, parentSpanId, name, attributes = [], links = [], status }) => ({
      ...{ traceId, spanId, parentSpanId, name },
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']),
      ),
      links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
      hasFailed: status?.code === STATUS_ERROR,
    }))
