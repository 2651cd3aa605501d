import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { CatalogueItem } from '../dataset/types.ts'
import { yieldTurn } from '../kernel/turn.ts'

const gzip = promisify(gzipWithCallback)

const ITEMS_PER_TURN = 1_000

interface Feed {
  readonly plain: Buffer
  readonly compressed: Buffer
  readonly etag: string
}

/** The list of all items of the game, as an importer reads it: one file, seldom changed. */
export function serveCatalogue(app: FastifyInstance, catalogue: readonly CatalogueItem[]): void {
  let feed: Promise<Feed> | null = null

  app.get('/cs2/items.json', async (request, reply) => {
    feed ??= build(catalogue)
    const { plain, compressed, etag } = await feed
    reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'no-cache')
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(compressed)
  })
}

async function build(catalogue: readonly CatalogueItem[]): Promise<Feed> {
  const parts: string[] = []
  for (let start = 0; start < catalogue.length; start += ITEMS_PER_TURN) {
    parts.push(JSON.stringify(catalogue.slice(start, start + ITEMS_PER_TURN)).slice(1, -1))
    await yieldTurn()
  }
  const plain = Buffer.from(`{"game":"cs2","items":[${parts.join(',')}]}`)
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
