// `npm run dev`, as an engineer uses it: start, save, look.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { findFreePort, isFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { type Child, ROOT, startChild } from '../support/child.ts'
import { SMALL_DATASET } from '../support/sandbox.ts'
import { type Demo, readDemo } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Of the service, the sandbox, the metrics of two processes, and the pages. */
const PORTS = 5

let dataDir: string
let port: number
let child: Child
let demo: Demo
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tradepost-dev-'))
  port = await findFreePorts()
  child = startChild(join(ROOT, 'tools/dev.ts'), [], {
    ...{ ...SMALL_DATASET, PORT: String(port), DATA_DIR: dataDir },
  })
  await child.line((line) => (line.includes('[dev] ') && line.includes('Ctrl-C') ? line : null))
  demo = readDemo(dataDir)
})
after(async () => {
  await child.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

/** The first of as many in a row. */
async function findFreePorts(): Promise<number> {
  for (;;) {
    const first = await findFreePort()
    const all = Array.from({ length: PORTS }, (_, i) => isFreePort(first + i))
    if ((await Promise.all(all)).every(Boolean)) return first
  }
}

const call = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(10_000) })

const wallet = async (): Promise<number> =>
  (await call(`${demo.baseUrl}/user/wallet`, { 'api-key': demo.merchant.apiKey })).status

const starts = (name: string): number =>
  child
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith(`[${name}] `) && line.includes('ready in')).length

/** As an editor saves it; what is in it stays. */
const save = (path: string): void => utimesSync(join(ROOT, path), new Date(), new Date())

it('the service answers with the keys of the demo', async () => {
  assert.equal(await wallet(), 200)
})

it('the pages are served from their sources, and call the service', async () => {
  const pages = `http://localhost:${port + 4}`
  assert.match(await (await call(`${pages}/dashboard/`)).text(), /@vite\/client/)
  const answer = await call(`${pages}/dashboard/api/session`)
  assert.equal(((await answer.json()) as { success: boolean }).success, false)
})

it('a saved module starts api and worker again, and the database and the sandbox stay', async () => {
  save('apps/server/src/kernel/assert.ts')
  await until('both are ready again', async () => starts('api') === 2 && starts('worker') === 2)
  assert.equal(await wallet(), 200)
  assert.equal(starts('sandbox'), 1)
})

it('a saved module of the sandbox starts the sandbox alone', async () => {
  save('apps/sandbox/src/run.ts')
  await until('it is ready again', async () => starts('sandbox') === 2)
  assert.deepEqual([starts('api'), starts('worker')], [2, 2])
})

it('one signal ends all of them', async () => {
  const { code } = await child.end('SIGTERM')
  assert.equal(code, 0, child.said())
  for (let i = 0; i < PORTS; i++) assert.ok(await isFreePort(port + i), `port ${port + i}`)
})
