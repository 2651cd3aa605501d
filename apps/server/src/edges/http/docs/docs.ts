// The documentation: guides, the OpenAPI documents, and the page that shows them. Everything comes from this
// server: the pages work without the internet, and their policies forbid to fetch anything from elsewhere.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestHead } from '../shared/api-interface.ts'
import type { Edge } from '../shared/edge.ts'
import { etagOf } from '../shared/etag.ts'
import { zipped } from './archive.ts'
import { missingPageHtml } from './site/layout.ts'
import {
  ARCHIVES,
  DOWNLOADS,
  markdownUrlOf,
  PAGES,
  PICTURE_FILES,
  REFERENCE_URL,
  ROOT,
  RUNBOOKS_URL,
  urlOf,
} from './site/pages.ts'
import { referencePage, startScript } from './site/reference.ts'
import { renderRunbooks, renderSite } from './site/site.ts'
import { loadViewer } from './viewer.ts'

export interface DocsDeps {
  /** By name, as in `/openapi/<name>.json`: the document, made when it is first asked for. */
  readonly documents: Readonly<Record<string, () => object>>
  /** Without it no one may, as while there is no database to look a session up in. */
  readonly mayReadRunbooks?: (request: RequestHead) => Promise<boolean>
}

/** Of the guides: no inline code or style, and no text that a script turns into markup. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The viewer writes its styles into the page as it draws.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const ZIP = 'application/zip'
const JPEG = 'image/jpeg'
const JSON_TYPE = 'application/json; charset=utf-8'

export function addDocs(
  app: FastifyInstance,
  edge: Edge,
  { documents, mayReadRunbooks }: DocsDeps,
): void {
  const add = (url: string, make: () => Promise<Content>, policy?: string): void => {
    const content = once(make)
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => {
        edge.begin(request, reply, url)
        content().then(
          (made) => send(edge, request, reply, made, policy),
          (error) => edge.fail(request, reply, error),
        )
      },
    })
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs/',
    handler: (request, reply) => {
      edge.begin(request, reply, '/docs/')
      edge.commonHeaders(request, reply)
      reply.redirect('/docs', 302)
    },
  })
  const answerMissing = addMissingPage(app, edge)
  if (mayReadRunbooks) addRunbooks(app, edge, mayReadRunbooks, answerMissing)
  for (const [name, document] of Object.entries(documents)) {
    add(`/openapi/${name}.json`, () => contentOf(JSON_TYPE, JSON.stringify(document())))
  }
  // Rendered at the first visit, as the reference is: a server whose documentation is not read does without.
  const site = once(() => renderSite(Object.values(documents).map((document) => document())))
  for (const url of PAGES.map(urlOf)) {
    add(url, async () => contentOf(HTML, (await site()).pages[url] ?? ''), PAGE_POLICY)
  }
  for (const url of PAGES.map(markdownUrlOf)) {
    add(url, async () => contentOf(MARKDOWN, (await site()).texts[url] ?? ''))
  }
  add('/llms.txt', async () => contentOf(TEXT, (await site()).list))
  add('/llms-full.txt', async () =>
    contentOf(TEXT, Object.values((await site()).texts).join('\n---\n\n')),
  )
  add('/docs/search.json', async () => contentOf(JSON_TYPE, JSON.stringify((await site()).index)))
  for (const [url, { file, type }] of Object.entries(DOWNLOADS)) {
    add(url, async () => contentOf(type, await readFile(join(ROOT, file), 'utf8')))
  }
  for (const file of PICTURE_FILES) {
    add(`/${file}`, async () => contentOf(JPEG, await readFile(join(ROOT, file))))
  }
  for (const [url, { folder }] of Object.entries(ARCHIVES)) {
    add(url, async () => contentOf(ZIP, await zipped(join(ROOT, folder))))
  }
  for (const [name, type] of Object.entries(ASSETS)) {
    add(`/docs/${name}`, async () =>
      contentOf(type, await readFile(join(ROOT, 'apps/server/docs-site', name), 'utf8')),
    )
  }
  for (const [url, { file, type }] of Object.entries(LOOK_FILES)) {
    add(url, async () => contentOf(type, await readFile(join(ROOT, 'packages/look', file))))
  }
  add(REFERENCE_URL, () => contentOf(HTML, referencePage()), REFERENCE_POLICY)
  add('/docs/start.js', () => contentOf(JAVASCRIPT, startScript(Object.keys(documents))))
  add('/docs/viewer.js', async () => contentOf(JAVASCRIPT, await loadViewer()))
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => void

/** A browser is shown a page that leads on; any other client is answered as at every unknown address. */
function addMissingPage(app: FastifyInstance, edge: Edge): Answer {
  const answer: Answer = (request, reply) => {
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return void reply.callNotFound()
    edge.begin(request, reply, '/docs/*')
    edge.commonHeaders(request, reply)
    reply.code(404).headers({ 'content-type': HTML, 'cache-control': 'no-store' })
    reply.header('referrer-policy', 'no-referrer')
    reply.header('content-security-policy', PAGE_POLICY).send(missingPageHtml(request.url))
  }
  app.route({ method: ['GET', 'HEAD'], url: '/docs/*', handler: answer })
  return answer
}

/** Everyone else gets the answer of an unknown address. */
function addRunbooks(
  app: FastifyInstance,
  edge: Edge,
  mayRead: NonNullable<DocsDeps['mayReadRunbooks']>,
  answerMissing: Answer,
): void {
  const pages = once(renderRunbooks)
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const [path = ''] = request.url.split('?', 1)
    const page = (await mayRead(request)) ? (await pages())[path] : undefined
    if (page === undefined) return answerMissing(request, reply)
    edge.begin(request, reply, `${RUNBOOKS_URL}/*`)
    edge.commonHeaders(request, reply)
    reply.headers({ 'content-type': HTML, 'cache-control': 'private, no-store' })
    reply.header('referrer-policy', 'no-referrer')
    reply.header('content-security-policy', PAGE_POLICY).send(page)
  }
  for (const url of [RUNBOOKS_URL, `${RUNBOOKS_URL}/*`]) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => {
        show(request, reply).catch((error) => {
          edge.begin(request, reply, url)
          edge.fail(request, reply, error)
        })
      },
    })
  }
}

const ASSETS: Readonly<Record<string, string>> = {
  'frame.css': CSS,
  'site.css': CSS,
  'reference.css': CSS,
  'status.css': CSS,
  'site.mjs': JAVASCRIPT,
  'search.mjs': JAVASCRIPT,
  'theme.js': JAVASCRIPT,
}

/** Browsers ask for the first one by themselves. */
const LOOK_FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/favicon.ico': { file: 'favicon.ico', type: 'image/x-icon' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
  '/docs/look.css': { file: 'look.css', type: CSS },
}

interface Content {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  /** Null for what is compressed by its own form. */
  readonly gzipped: Buffer | null
}

async function contentOf(type: string, content: string | Buffer): Promise<Content> {
  const plain = typeof content === 'string' ? Buffer.from(content) : content
  return {
    type,
    plain,
    etag: etagOf(plain),
    gzipped: type === JPEG || type === ZIP ? null : await promisify(gzip)(plain),
  }
}

/** Made at the first request, shared by all; a failure is forgotten, so that the next one tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

function send(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, plain, gzipped }: Content,
  policy: string | undefined,
): void {
  edge.commonHeaders(request, reply)
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
  reply.header('referrer-policy', 'no-referrer')
  if (policy) reply.header('content-security-policy', policy)
  if (request.headers['if-none-match'] === etag) {
    reply.code(304).send()
    return
  }
  reply.header('content-type', type)
  if (gzipped !== null && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
    reply.header('content-encoding', 'gzip').send(gzipped)
  } else reply.send(plain)
}
