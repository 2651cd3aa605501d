// The installed package in the runtime of an edge: no Node.js modules, no file system, a request at a time.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { type Installed, installPackage } from './testing/installed.ts'
import { HOW_TO_INSTALL, workerd } from './testing/runtimes.ts'
import { type ScriptedServer, startScripted, success } from './testing/scripted-server.ts'
import { signedDelivery } from './testing/signed-delivery.ts'

const binary = workerd()
const skip = binary === null && `workerd is not installed: ${HOW_TO_INSTALL}`

const WORKER = `import { Tradepost, TradepostError } from './sdk/index.js'
import { verifySignature } from './sdk/webhooks/index.js'
import { fetchWebhook } from './sdk/webhooks/fetch.js'
import file from './vectors.json'

const verdictOn = ({ headers, bodyBase64, secrets, nowSeconds }) => {
  const body = Uint8Array.from(atob(bodyBase64), (one) => one.charCodeAt(0))
  return verifySignature({ headers, body }, { secret: secrets, nowMs: nowSeconds * 1000 })
    .then(() => undefined, (error) => error.reason)
}

const routes = {
  '/buy': async (_, env) => {
    const tradepost = new Tradepost({ apiKey: 'key', baseUrl: env.TRADEPOST_URL })
    const body = { externalId: 'from-the-edge', items: [{ listingId: '1', maxPrice: '5.00' }] }
    try {
      return Response.json(await tradepost.as('anna').market.buy(body))
    } catch (error) {
      return Response.json({ key: error instanceof TradepostError ? error.key : String(error) })
    }
  },
  '/vectors': async () => {
    const wrong = []
    for (const vector of file.vectors) if ((await verdictOn(vector)) !== vector.reason) wrong.push(vector.name)
    return Response.json({ count: file.vectors.length, wrong })
  },
  '/hook': async (request, env) => {
    const events = []
    const answer = await fetchWebhook({ secret: env.SECRET, onEvent: (event) => events.push(event) })(request)
    return Response.json({ status: answer.status, events })
  },
}

const worker = { fetch: (request, env) => routes[new URL(request.url).pathname](request, env) }
export { worker as default }
`

const configOf = (modules: readonly string[], vars: Readonly<Record<string, string>>): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [${modules.join(', ')}],
  bindings = [${Object.entries(vars)
    .map(([name, text]) => `(name = "${name}", text = "${text}")`)
    .join(', ')}],
);
`

const DELIVERY = signedDelivery()
let installed: Installed
let service: ScriptedServer
let edge: ChildProcess | undefined
let url = ''

before(async () => {
  if (binary === null) return
  installed = installPackage()
  service = await startScripted()
  const { project, folder } = installed
  writeFileSync(join(project, 'worker.mjs'), WORKER)
  const dist = globSync('**/*.js', { cwd: join(folder, 'dist') })
  const modules = [
    '(name = "worker.mjs", esModule = embed "worker.mjs")',
    '(name = "vectors.json", json = embed "node_modules/@tradepost/sdk/vectors/webhook-signatures.json")',
    ...dist.map(
      (path) =>
        `(name = "sdk/${path}", esModule = embed "node_modules/@tradepost/sdk/dist/${path}")`,
    ),
  ]
  const vars = { TRADEPOST_URL: service.baseUrl, SECRET: DELIVERY.secret }
  writeFileSync(join(project, 'edge.capnp'), configOf(modules, vars))
  url = await start(binary, project)
})

after(async () => {
  edge?.kill()
  await service?.[Symbol.asyncDispose]()
  installed?.remove()
})

it('a buy carries its reference, its user and its key, and its answer is typed', {
  skip,
}, async () => {
  service.script(success({ id: 'the-trade', totalPrice: 12.5 }))
  assert.deepEqual(await ask('/buy'), { id: 'the-trade', totalPrice: 12.5 })
  const [request] = service.requests
  assert.equal(request?.headers['api-key'], 'key')
  assert.equal(request?.headers['on-behalf-of'], 'anna')
  assert.equal(JSON.parse(request?.body ?? '').externalId, 'from-the-edge')
})

it('every vector gets its verdict', { skip }, async () => {
  const { count, wrong } = (await ask('/vectors')) as { count: number; wrong: string[] }
  assert.ok(count > 35)
  assert.deepEqual(wrong, [])
})

it('a signed delivery is taken and a changed one refused', { skip }, async () => {
  const { headers, body, event } = DELIVERY
  const post = async (text: string): Promise<unknown> =>
    (await fetch(`${url}/hook`, { method: 'POST', headers, body: text })).json()
  assert.deepEqual(await post(String(body)), { status: 204, events: [event] })
  assert.deepEqual(await post(`${body} `), { status: 401, events: [] })
})

const ask = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()

/** Its address. What it says on its third file is which socket it has opened where. */
function start(program: string, cwd: string): Promise<string> {
  const child = spawn(program, ['serve', '--control-fd=3', 'edge.capnp'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  edge = child
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(`workerd has ended: ${said}`)))
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      const { event, port } = JSON.parse(String(chunk)) as { event: string; port: number }
      if (event === 'listen') resolve(`http://127.0.0.1:${port}`)
    })
  })
}
