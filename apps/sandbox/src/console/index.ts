// The page on which a developer watches and moves the external systems. It is files as they stand, without a
// build; everything it does goes through the control interface, under the same rules as a program's calls.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireLocalCaller } from '../http/local-only.ts'

const FOLDER = join(import.meta.dirname, '../../console')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
}

/** No inline code, nothing from elsewhere, no text that becomes markup, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

interface PageFile {
  readonly url: string
  readonly type: string
  readonly etag: string
  readonly content: Buffer
}

export function serveConsole(app: FastifyInstance): void {
  requireLocalCaller(app)
  for (const file of readFiles()) {
    app.get(file.url, (request, reply) => send(file, request, reply))
  }
}

function readFiles(): PageFile[] {
  return readdirSync(FOLDER).flatMap((name) => {
    const type = TYPES[extname(name)]
    if (type === undefined) return []
    const content = readFileSync(join(FOLDER, name))
    return {
      url: name === 'index.html' ? '/' : `/console/${name}`,
      type,
      etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
      content,
    }
  })
}

function send({ type, etag, content }: PageFile, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(type).send(content)
}
