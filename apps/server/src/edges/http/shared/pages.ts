// A single-page application, served from the folder that it was built into. Hashed files are kept by
// browsers for ever; the page itself is asked for each time; an address without a file is the page, which
// routes itself.
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestHead } from './api-interface.ts'
import type { Edge } from './edge.ts'
import { etagOf } from './etag.ts'

export interface PagesDeps {
  /** Where the application lives, such as `/dashboard`. */
  readonly base: `/${string}`
  /** Paths below `base` that belong to an interface. */
  readonly interfacePrefix: string
  /** What the bundler wrote: `index.html` and `assets/`. */
  readonly folder: string
  /** Whether the browser carries no session, or one that has ended. */
  isAnonymous(request: RequestHead): Promise<boolean>
}

/** No inline code or style, no text that a script turns into markup, nothing from elsewhere, in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const PROTECTION = {
  'referrer-policy': 'no-referrer',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface File {
  readonly type: string
  readonly etag: string
  readonly isHashed: boolean
  readonly isPage: boolean
  readonly plain: Buffer
  readonly gzipped: Buffer
  readonly brotli: Buffer
}

/** Reads every file once, as `prepareFiles` left it, so that no request waits for the disk. */
export async function addPages(
  app: FastifyInstance,
  edge: Edge,
  { base, interfacePrefix, folder, isAnonymous }: PagesDeps,
): Promise<void> {
  const files = await readFiles(folder)
  const page = files.get(PAGE)
  const anonymousPage = files.get(VISITORS_PAGE)
  if (page === undefined || anonymousPage === undefined) {
    throw new Error(`${folder} has no ${PAGE} that was prepared`)
  }
  // Two forms of one address, and no address of its own.
  files.delete(VISITORS_PAGE)
  const answer = (request: FastifyRequest, reply: FastifyReply, file: File): void => {
    edge.begin(request, reply, `${base}/*`)
    send(edge, request, reply, file)
  }
  /** The application says that there is nothing. No condition of the request makes it another answer. */
  const answerMissing = (request: FastifyRequest, reply: FastifyReply): void => {
    edge.begin(request, reply, `${base}/*`)
    reply.code(404).headers({ 'cache-control': 'no-store', vary: 'accept, accept-encoding' })
    reply.headers(PROTECTION)
    edge.commonHeaders(request, reply)
    sendBody(request, reply, page)
  }
  const answerPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    answer(request, reply, (await isAnonymous(request)) ? anonymousPage : page)
    return reply
  }
  app.route({ method: ['GET', 'HEAD'], url: base, handler: answerPage })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${base}/*`,
    handler: (request, reply) => {
      const [path = ''] = request.url.split('?', 1)
      const name = path.slice(base.length + 1)
      const file = files.get(name)
      if (file === page) return answerPage(request, reply)
      if (file !== undefined) return answer(request, reply, file)
      if (path.startsWith(interfacePrefix)) return reply.callNotFound()
      if (extname(name) === '') return answerPage(request, reply)
      // A missing file is the page only for who opens its address: a browser would read markup as a script.
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.callNotFound()
      return answerMissing(request, reply)
    },
  })
}

function send(edge: Edge, request: FastifyRequest, reply: FastifyReply, file: File): void {
  edge.commonHeaders(request, reply)
  reply.headers({
    etag: file.etag,
    vary: file.isPage ? 'accept-encoding, cookie' : 'accept-encoding',
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...PROTECTION,
  })
  if (request.headers['if-none-match'] === file.etag) {
    reply.code(304).send()
    return
  }
  sendBody(request, reply, file)
}

function sendBody(request: FastifyRequest, reply: FastifyReply, file: File): void {
  reply.header('content-type', file.type)
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (/\bbr\b/.test(accepted)) reply.header('content-encoding', 'br').send(file.brotli)
  else if (/\bgzip\b/.test(accepted)) reply.header('content-encoding', 'gzip').send(file.gzipped)
  else reply.send(file.plain)
}

async function readFiles(folder: string): Promise<Map<string, File>> {
  const names = await listFiles(folder)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readOne(folder, name)] as const)),
  )
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

const PAGE = 'index.html'
const VISITORS_PAGE = 'visitors.html'
const GZIPPED = '.gz'
const BROTLI = '.br'

/**
 * Writes beside what the bundler wrote all that is served and would otherwise be made at each start, which
 * takes most of a second of a processor: the page of visitors, and the compressed forms of every file.
 */
export async function prepareFiles(folder: string): Promise<void> {
  await writePageOfVisitors(folder)
  for (const name of await listFiles(folder)) {
    const path = join(folder, name)
    const { gzipped, brotli } = await compress(await readFile(path))
    await Promise.all([writeFile(path + GZIPPED, gzipped), writeFile(path + BROTLI, brotli)])
  }
}

/** Whether `addPages` can serve what is there: a release before this one prepared less. */
export const isPrepared = (folder: string): boolean =>
  existsSync(join(folder, VISITORS_PAGE + BROTLI))

/** Says at its root that there is no session, so that its scripts need not ask and be refused. */
async function writePageOfVisitors(folder: string): Promise<void> {
  const page = await readFile(join(folder, PAGE), 'utf8')
  await writeFile(join(folder, VISITORS_PAGE), page.replace('<html', '<html data-anonymous'))
}

async function readOne(folder: string, name: string): Promise<File> {
  const path = join(folder, name)
  const [plain, gzipped, brotli] = await Promise.all([
    readFile(path),
    readFile(path + GZIPPED),
    readFile(path + BROTLI),
  ])
  return fileOf(name, { plain, gzipped, brotli })
}

type Forms = Pick<File, 'plain' | 'gzipped' | 'brotli'>

async function compress(plain: Buffer): Promise<Omit<Forms, 'plain'>> {
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(plain),
    // At its best level, which takes several seconds for all files: they are compressed once, when they are
    // built.
    promisify(brotliCompress)(plain),
  ])
  return { gzipped, brotli }
}

const fileOf = (name: string, forms: Forms): File => ({
  ...forms,
  type: TYPES[extname(name)] ?? '',
  etag: etagOf(forms.plain),
  isHashed: name.startsWith('assets/'),
  isPage: name === PAGE || name === VISITORS_PAGE,
})
