import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueItem } from '../dataset/types.ts'
import { yieldTurn } from '../kernel/turn.ts'
import { PUBLIC_FILES, rowsOf } from './public-form.ts'

const gzip = promisify(gzipWithCallback)

const ITEMS_PER_TURN = 1_000

interface Feed {
  readonly plain: Buffer
  readonly compressed: Buffer
  readonly etag: string
}

export interface CatalogueFiles {
  readonly routes: (app: FastifyInstance) => void
  /** Names that the lists leave out, as if they were newer than the lists. */
  hide(names: readonly string[]): void
  hidden(): readonly string[]
}

/**
 * The list of all items of the game, as an importer reads it: the files of the public form, and one file
 * of the service's own form. They seldom change.
 */
export function createCatalogueFiles(catalogue: readonly CatalogueItem[]): CatalogueFiles {
  let hidden: ReadonlySet<string> = new Set()
  const feeds = new Map<string, Promise<Feed>>()
  const shown = (): CatalogueItem[] =>
    catalogue.filter(({ marketHashName }) => !hidden.has(marketHashName))

  const serve = async (
    name: string,
    make: () => Promise<Buffer>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const feed = feeds.get(name) ?? make().then(feedOf)
    feeds.set(name, feed)
    const { plain, compressed, etag } = await feed
    reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'no-cache')
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }

  return {
    routes(app) {
      app.get('/cs2/items.json', (request, reply) =>
        serve(
          'items',
          async () => bytesOf(shown(), '{"game":"cs2","items":[', ']}'),
          request,
          reply,
        ),
      )
      for (const file of PUBLIC_FILES) {
        app.get(`/public/en/${file}.json`, (request, reply) =>
          serve(file, async () => bytesOf(rowsOf(file, shown()), '[', ']'), request, reply),
        )
      }
    },
    hide(names) {
      hidden = new Set(names)
      feeds.clear()
    },
    hidden: () => [...hidden],
  }
}

async function bytesOf(rows: readonly unknown[], before: string, after: string): Promise<Buffer> {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += ITEMS_PER_TURN) {
    parts.push(JSON.stringify(rows.slice(start, start + ITEMS_PER_TURN)).slice(1, -1))
    await yieldTurn()
  }
  return Buffer.from(`${before}${parts.join(',')}${after}`)
}

async function feedOf(plain: Buffer): Promise<Feed> {
  const digest = createHash('sha256').update(plain).digest('base64url')
  return { plain, compressed: await gzip(plain), etag: `"${digest.slice(0, 22)}"` }
}

function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((value) => value.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(header ?? ''))
}
