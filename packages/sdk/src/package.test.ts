// The package as a merchant gets it: packed, installed into an empty project, compiled against and run.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { after, it } from 'node:test'
import { promisify } from 'node:util'
import ts from 'typescript'
import { WebSocketServer } from 'ws'
import { examples } from './testing/examples.ts'
import { installPackage } from './testing/installed.ts'
import { absentRuntimes, HOW_TO_INSTALL, runtimes } from './testing/runtimes.ts'
import { startScripted, success } from './testing/scripted-server.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** By their major versions. */
const COMPILERS = {
  5: join(ROOT, 'packages/sdk/node_modules/typescript/bin/tsc'),
  6: join(ROOT, 'node_modules/typescript/bin/tsc'),
} as const
const run = promisify(execFile)

const { project, folder: installed, remove } = installPackage()
after(remove)

it('the package has the documented files and no dependencies', () => {
  const paths = globSync('**/*', { cwd: installed, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(installed, join(one.parentPath, one.name)))
  const others = paths.filter((path) => !/^dist\/.*\.(js|cjs|d\.ts)$/.test(path)).sort()
  assert.deepEqual(others, [
    'README.md',
    'package.json',
    'python/verify.py',
    'vectors/webhook-signatures.json',
  ])
  assert.deepEqual(readdirSync(join(project, 'node_modules/@tradepost')), ['sdk'])
  assert.equal(manifest().dependencies, undefined)
  for (const targets of Object.values(manifest().exports)) {
    for (const target of typeof targets === 'string' ? [targets] : Object.values(targets)) {
      assert.ok(existsSync(join(installed, target)), target)
    }
  }
})

it('every module needs only Web APIs', () => {
  for (const path of modules()) {
    for (const specifier of specifiersOf(path)) {
      assert.match(specifier, /^\.{1,2}\/.*\.js$/, `${path} imports ${specifier}`)
    }
    const code = readFileSync(path, 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '')
    assert.doesNotMatch(code, /\b(process|Buffer|require|__dirname|window|document)\b/, path)
  }
})

it('verifying webhooks does not import the client', () => {
  const doors = [
    join(installed, 'dist/webhooks/index.js'),
    homeOf('verifyWebhook', join(installed, 'dist/index.js')),
    ...globSync(join(installed, 'dist/webhooks/*.js')),
  ]
  assert.ok(doors.length >= 6)
  for (const door of doors) {
    const reached = [...closure(door)].map((path) => relative(installed, path))
    assert.ok(
      reached.every((path) => path.startsWith('dist/webhooks/')),
      `${door} reaches ${reached.join(', ')}`,
    )
  }
})

it('a bundler may leave out every module that is not imported', () => {
  assert.equal(manifest().sideEffects, false)
  for (const path of modules()) {
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022)
    const effects = source.statements.filter(ts.isExpressionStatement)
    assert.deepEqual(
      effects.map((one) => one.getText(source)),
      [],
      path,
    )
  }
})

it('the examples compile in a strict project, for Node and for the Web, declarations included', async () => {
  const files = [...examples()].map(([name, code]) => {
    writeFileSync(join(project, `${name}.ts`), code)
    return `${name}.ts`
  })
  assert.ok(files.length >= 6)
  const strict = { strict: true, skipLibCheck: false, noEmit: true }
  const ofNode = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  const ofWeb = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(join(project, 'web.ts'), WEB)
  await Promise.all([
    compile('node', { compilerOptions: { ...strict, ...ofNode }, files }),
    compile('web', { compilerOptions: { ...strict, ...ofWeb }, files: ['web.ts'] }),
  ])
})

it('every subpath has its types under each resolution of modules, of TypeScript 5 and 6', async () => {
  const imports = entries().map((name, i) => `import * as e${i} from '${name}'`)
  const uses = `export const all = [${imports.map((_, i) => `Object.keys(e${i})`).join(', ')}]`
  const use = `import { type MarketFollower, followMarket } from '@tradepost/sdk/live'
export const follow = (token: () => Promise<string>): MarketFollower => followMarket({ baseUrl: '', token })`
  writeFileSync(join(project, 'every.ts'), [...imports, uses, use].join('\n'))
  const required = entries().map((name, i) => `import e${i} = require('${name}')`)
  writeFileSync(join(project, 'every.cts'), [...required, uses.replace('export ', '')].join('\n'))
  const shared = {
    strict: true,
    skipDefaultLibCheck: true,
    noEmit: true,
    lib: ['es2022', 'dom'],
    types: [],
    target: 'es2022',
  }
  const bundler = { module: 'esnext', moduleResolution: 'bundler' }
  const files = ['every.ts']
  for (const [major, options, of = files] of [
    [5, { module: 'esnext', moduleResolution: 'node10' }],
    [5, { module: 'node16' }],
    [5, bundler],
    [5, { module: 'nodenext' }, ['every.cts']],
    [6, { module: 'node16' }],
    [6, bundler],
    [6, { module: 'nodenext' }, ['every.cts']],
  ] as const) {
    await compile('every', { compilerOptions: { ...shared, ...options }, files: of }, major)
  }
})

it('a Node.js that can require modules requires every subpath, and another says which can', async (context) => {
  const program = join(project, 'require.cjs')
  writeFileSync(program, `for (const name of ${JSON.stringify(entries())}) require(name)`)
  for (const [runtime, ...args] of runtimes()) {
    const options = { timeout: 20_000 }
    const isNode = /node$/.test(runtime)
    const feature = isNode && (await run(runtime, ['-p', 'process.features.require_module']))
    if (!feature || feature.stdout.trim() === 'true')
      await run(runtime, [...args, program], options)
    if (isNode) {
      await assert.rejects(
        run(runtime, ['--no-experimental-require-module', program], options),
        /Error: @tradepost\/sdk is an ES module\. .* from 20\.19 and 22\.12 on: .* import\(\)\./,
      )
    }
    context.diagnostic(`${runtime} ${args.join(' ')}`)
  }
  assert.equal(manifest().engines.node, '^20.19.0 || >=22.12.0')
})

it('what the service would refuse does not compile', async () => {
  writeFileSync(join(project, 'wrong.ts'), WRONG)
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    lib: ['es2022', 'dom'],
    types: [],
  }
  const output = await compile('wrong', { compilerOptions: options, files: ['wrong.ts'] }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  const lines = [...output.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line))
  const wrong = WRONG.split('\n').flatMap((line, i) => (line.includes('// wrong') ? [i + 1] : []))
  assert.deepEqual([...new Set(lines)], wrong, output)
})

it('the first purchase runs on every runtime that this machine has', async (context) => {
  mkdirSync(join(project, 'out'))
  const code = ts.transpileModule(examples().get('first-purchase') ?? '', {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const program = join(project, 'out/first-purchase.mjs')
  writeFileSync(program, code.outputText)
  for (const [runtime, ...args] of runtimes()) {
    await using server = await startScripted()
    const page = { total: 1, page: 1, limit: 1, totalPages: 1 }
    server.script(
      success({ items: [{ id: '9f86d081884c7d65' }], ...page }),
      success({ items: [{ id: '4700012345' }], ...page }),
      success({ id: 'the-trade', totalPrice: 12.5 }),
      success({ id: 'the-trade', status: 'initiated' }),
    )
    const env = { PATH: process.env.PATH, TRADEPOST_API_KEY: 'key', TRADEPOST_URL: server.baseUrl }
    const { stdout } = await run(runtime, [...args, program], { env, timeout: 20_000 })
    assert.equal(stdout.trim(), 'the-trade 12.5 initiated', runtime)
    const bought = JSON.parse(server.requests[2]?.body ?? '') as { externalId: string }
    assert.equal(bought.externalId, 'my-first-order')
    context.diagnostic(`${runtime} ${args.join(' ')}`)
  }
  for (const name of absentRuntimes()) context.diagnostic(`${name} is absent: ${HOW_TO_INSTALL}`)
})

it('the live market is followed on every runtime, and one without a WebSocket reports it', async (context) => {
  const program = join(project, 'live.mjs')
  writeFileSync(program, LIVE)
  for (const [runtime, ...args] of runtimes()) {
    await using feed = await startFeed()
    const env = { PATH: process.env.PATH, FEED_URL: feed.baseUrl, WS: import.meta.resolve('ws') }
    const options = { cwd: project, env, timeout: 20_000 }
    const { stdout } = await run(runtime, [...args, program], options)
    const [without, followed] = stdout.trim().split('\n')
    assert.match(without ?? '', /^no token, no global WebSocket, .* Node\.js 22 or newer/, runtime)
    assert.equal(followed, 'synced with 1 token', runtime)
    context.diagnostic(`${runtime} ${args.join(' ')}`)
  }
})

it('the built verifier passes the vectors on every runtime', async () => {
  const program = join(project, 'vectors.mjs')
  writeFileSync(program, VECTORS)
  for (const [runtime, ...args] of runtimes()) {
    const { stdout } = await run(runtime, [...args, program], { cwd: project, timeout: 20_000 })
    assert.match(stdout, /^\d{2,} good$/m, runtime)
  }
})

/** Uses the parts that the examples do not. */
const WEB = `import { Tradepost, TradepostError, verifyWebhook, type Trade, type WebhookEvent } from '@tradepost/sdk'
import { fetchWebhook } from '@tradepost/sdk/webhooks/fetch'
import { honoWebhook } from '@tradepost/sdk/webhooks/hono'

const tradepost = new Tradepost({ apiKey: 'key', baseUrl: new URL('https://example.com'), fetch: (url, init) => fetch(url, init) })
const trades: Trade[] = []
for await (const page of tradepost.as('anna').transactions.list({ limit: 100 }).pages()) trades.push(...page.transactions)
const priced: number | undefined = (await tradepost.market.search({ exterior: ['Field-Tested'] })).items[0]?.price?.standard
export const handler: (request: Request) => Promise<Response> = fetchWebhook({ secret: ['a', 'b'], onEvent: (event) => console.log('trade' in event.data && event.data.trade.id, priced) })
export const hono = honoWebhook({ secret: 'a', onEvent: () => {} })
export const event = (request: Request): Promise<WebhookEvent> =>
  request.arrayBuffer().then((body) => verifyWebhook({ body, headers: request.headers }, { secret: 'a' }))
export const missingCents = (error: unknown): number | null =>
  error instanceof TradepostError && error.key === 'INSUFFICIENT_BALANCE' ? error.meta.requiredCents : null
`

const WRONG = `import { Tradepost, TradepostError } from '@tradepost/sdk'
const tradepost = new Tradepost({ apiKey: 'key', baseUrl: 'https://example.com' })
await tradepost.market.buy({ items: [{ listingId: '1', listingRawId: 'market_a:1', maxPrice: '5.00' }] }) // wrong
await tradepost.market.buy({ items: [{ maxPrice: '5.00' }] }) // wrong
await tradepost.market.buy({ items: [{ listingId: '1', maxPrice: 5 }] }) // wrong
await tradepost.users.fund('anna', { amount: 5 }) // wrong
await tradepost.market.search({ sort: 'cheapest' }) // wrong
await tradepost.market.search({ phase: ['Phase 9'] }) // wrong
await tradepost.trades.list({ page: 2 }) // wrong
tradepost.as('anna').users // wrong
try {
} catch (error) {
  if (error instanceof TradepostError && error.key === 'UNKNOWN_KEY') console.log(error) // wrong
  if (error instanceof TradepostError && error.key === 'TRADE_NOT_FOUND') error.meta.requiredCents // wrong
}
`

/** Prefers the runtime's own WebSocket; Node.js 20 has none and takes that of `ws`. */
const LIVE = `import { followMarket } from '@tradepost/sdk/live'
const { FEED_URL: baseUrl, WS } = process.env
let tokens = 0
const token = async () => 'token-' + ++tokens
const own = globalThis.WebSocket
delete globalThis.WebSocket
try {
  followMarket({ baseUrl, token })
} catch ({ name, message }) {
  if (name === 'TypeError') console.log(tokens === 0 ? 'no token,' : 'tokens,', message.replace(/^.*?no /, 'no ').replace('. ', ', '))
}
const market = followMarket({ baseUrl, token, WebSocket: own ?? (await import(WS)).WebSocket })
await market.synced
market.stop()
console.log('synced with', tokens, 'token')
`

const VECTORS = `import { readFileSync } from 'node:fs'
import { verifySignature } from '@tradepost/sdk/webhooks'
const { vectors } = JSON.parse(readFileSync('node_modules/@tradepost/sdk/vectors/webhook-signatures.json', 'utf8'))
for (const { name, headers, bodyBase64, secrets, nowSeconds, reason } of vectors) {
  const body = Uint8Array.from(atob(bodyBase64), (one) => one.charCodeAt(0))
  const verdict = await verifySignature({ headers, body }, { secret: secrets, nowMs: nowSeconds * 1000 }).then(() => undefined, (error) => error.reason)
  if (verdict !== reason) throw new Error(name + ': ' + verdict)
}
console.log(vectors.length + ' good')
`

interface Feed extends AsyncDisposable {
  readonly baseUrl: string
}

/** A live market with nothing for sale. */
async function startFeed(): Promise<Feed> {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.send(JSON.stringify({ event: 'market.ready', data: { scope: 'watchlist' }, ts: 1 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Manifest {
  readonly sideEffects: unknown
  readonly dependencies?: unknown
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const manifest = (): Manifest =>
  JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest

/** What can be imported: the package and its subpaths. */
const entries = (): string[] =>
  Object.entries(manifest().exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : path.replace('.', '@tradepost/sdk'),
  )

const compile = (name: string, config: object, major: 5 | 6 = 6): Promise<unknown> => {
  const path = join(project, `tsconfig.${name}.json`)
  writeFileSync(path, JSON.stringify(config))
  return run(process.execPath, [COMPILERS[major], '-p', path, '--pretty', 'false'], {
    cwd: project,
  }).catch((error: { stdout?: string }) => {
    throw Object.assign(new Error(`${name}: ${error.stdout}`), { stdout: error.stdout ?? '' })
  })
}

const modules = (): string[] => globSync(join(installed, 'dist/**/*.js'))

const specifiersOf = (path: string): string[] =>
  [
    ...readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^'"]*?from ['"]([^'"]+)['"]/gm),
  ].map(([, specifier = '']) => specifier)

function closure(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const specifier of specifiersOf(path)) closure(join(dirname(path), specifier), seen)
  return seen
}

/** The module that declares what a door passes on. */
function homeOf(name: string, path: string): string {
  const code = readFileSync(path, 'utf8')
  if (new RegExp(`export (async )?(function|const|class) ${name}\\b`).test(code)) return path
  for (const [, names = '', specifier = ''] of code.matchAll(
    /^export (\*|\{[^}]*\}) from ['"]([^'"]+)['"]/gm,
  )) {
    if (names !== '*' && !names.includes(name)) continue
    const home = homeOf(name, join(dirname(path), specifier))
    if (home !== '') return home
  }
  return ''
}
