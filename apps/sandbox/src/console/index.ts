// The page on which a developer observes and controls the parties. Its files are served as they are, without
// a build. Everything it does goes through the control interface, under the same rules as a program's calls.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireLocalCaller } from '../http/local-only.ts'
import { ICON_SVG, LOOK_CSS } from '../http/look.ts'
import type { Party } from '../party/party.ts'

const SOURCES = join(import.meta.dirname, '..')
const OWN = 'console'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
}

/** No inline code, nothing from elsewhere, no text that becomes markup, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  // The HTML of a mail, which has a policy of its own.
  "frame-src 'self'",
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

export function serveConsole(app: FastifyInstance, parties: readonly Party[]): void {
  requireLocalCaller(app)
  const modules = parties.flatMap((party) => party.console ?? [])
  const folders = new Set([OWN, ...modules.map((path) => dirname(path))])
  const files = [pageOf(modules), ...LOOK, ...[...folders].flatMap(filesOf)]
  for (const file of files) {
    app.get(file.url, (request, reply) => send(file, request, reply))
  }
}

/** The page, with the parties' modules before its own: they register what it shows. */
function pageOf(modules: readonly string[]): PageFile {
  const tags = [...modules, `${OWN}/main.mjs`].map(
    (path) => `<script type="module" src="/files/${path}"></script>`,
  )
  const html = readFileSync(join(SOURCES, OWN, 'index.html'), 'utf8')
  return pageFile(
    '/',
    'text/html; charset=utf-8',
    html.replace('<!-- modules -->', tags.join('\n    ')),
  )
}

/** Addresses mirror the folders, so that a module's imports mean the same on the disk and in the browser. */
function filesOf(folder: string): PageFile[] {
  return readdirSync(join(SOURCES, folder)).flatMap((name) => {
    const type = TYPES[extname(name)]
    if (type === undefined) return []
    const content = readFileSync(join(SOURCES, folder, name))
    return pageFile(`/files/${folder}/${name}`, type, content)
  })
}

const pageFile = (url: string, type: string, content: Buffer | string): PageFile => ({
  url,
  type,
  etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
  content: Buffer.from(content),
})

const SVG = 'image/svg+xml'

const LOOK: readonly PageFile[] = [
  pageFile('/files/look/look.css', 'text/css; charset=utf-8', LOOK_CSS),
  pageFile('/files/look/icon.svg', SVG, ICON_SVG),
  // Where browsers look for one by themselves.
  pageFile('/favicon.ico', SVG, ICON_SVG),
]

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
