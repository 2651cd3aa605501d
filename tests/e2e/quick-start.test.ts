// The production quick start, as its page says it: the commands are read from the page and run in one shell,
// on an empty PostgreSQL, with api and worker as processes of their own in production mode. The sandbox is at
// the addresses of the suppliers, and what people do in a browser and on their phones is done here.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { TOTP } from 'otpauth'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { ROOT } from '../support/child.ts'
import { readGuide } from '../support/guides.ts'
import { type Sandbox, startSandbox } from '../support/sandbox.ts'
import { newSecretsKey } from '../support/server.ts'
import { auditBooks } from '../support/stack.ts'

const page = readFileSync(join(ROOT, 'docs/production-quick-start.md'), 'utf8')
const guide = readGuide('production-quick-start', page)
const PASSWORD = 'four calm northern lights'
const DEADLINE_MS = 150_000

let folder: string
let database: TestDatabase
let sandbox: Sandbox

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-quick-start-'))
  database = await testDatabase({ poolSize: 2, isEmpty: true })
  sandbox = await startSandbox()
})
after(async () => {
  await sandbox.child.end()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What the page has in its file of settings; a name that it leaves out is not set. */
function settingsOfPage(values: Readonly<Record<string, string>>): string {
  const [, file = ''] = /<<'END'\n([\s\S]*?)\nEND\n/.exec(page) ?? []
  const names = [...file.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name)
  assert.deepEqual(names.toSorted(), Object.keys(values).toSorted())
  return names.map((name) => `${name}='${values[name]}'\n`).join('')
}

/** Shortens what takes days, and points at the sandbox what has a default address. */
const shortened = (port: number): Record<string, string> => ({
  PORT: String(port),
  METRICS_PORT: '0',
  HOLD_SECONDS: '1',
  FOLLOW_INTERVAL_MS: '200',
  PLATFORM_URL: `${sandbox.url}/platform`,
  PLATFORM_API_URL: `${sandbox.url}/platform/api`,
  FX_URL: `${sandbox.url}/fx/stats/eurofxref/eurofxref-daily.xml`,
})

/** An administrator behind the link of an invitation: a password, a login, an authenticator app. */
async function arrive(link: string, email: string): Promise<TOTP> {
  const { origin, hash } = new URL(link)
  const cookies: string[] = []
  let csrfToken = ''
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${origin}/dashboard/api/${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', origin, cookie: cookies.join('; ') },
        ...(csrfToken !== '' && { 'x-csrf-token': csrfToken }),
      },
      body: JSON.stringify(body),
    })
    const { data, error } = (await answer.json()) as {
      data: { csrfToken?: string; secret?: string }
      error?: unknown
    }
    assert.ok(answer.ok, `${path}: ${JSON.stringify(error)}`)
    for (const cookie of answer.headers.getSetCookie()) cookies.push(cookie.split(';', 1)[0] ?? '')
    csrfToken = data.csrfToken ?? csrfToken
    return data
  }
  await post('auth/invitation/accept', { token: hash.slice('#token='.length), password: PASSWORD })
  await post('auth/login', { email, password: PASSWORD })
  const { secret = '' } = await post('two-factor/totp', {})
  const app = new TOTP({ secret })
  await post('two-factor/totp/enable', { code: app.generate() })
  return app
}

/** Runs the script like a person at a terminal; returns what it printed. */
async function run(script: string, env: Record<string, string>): Promise<string> {
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    ...{ cwd: ROOT, detached: true, stdio: 'pipe' },
    env: {
      ...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      ...{ HOME: folder, npm_config_update_notifier: 'false', ...env },
    },
  })
  let printed = ''
  const asked = new Set<string>()
  const endGroup = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(shell.pid ?? 0), name)
    } catch {
      // Gone already.
    }
  }
  const timer = setTimeout(() => endGroup('SIGKILL'), DEADLINE_MS)
  const closed = new Promise<void>((resolve) => shell.once('close', () => resolve()))
  let failure: unknown = null
  const look = (): void => {
    for (const [, email = ''] of printed.matchAll(/Code of the authenticator app of (\S+): /g)) {
      if (asked.has(email)) continue
      asked.add(email)
      answer(email).catch((error: unknown) => {
        failure = error
        endGroup('SIGTERM')
      })
    }
    if (printed.includes(FINISHED)) endGroup('SIGTERM')
  }
  const answer = async (email: string): Promise<void> => {
    const [, link = ''] = new RegExp(`${email} is invited .*: (http\\S+)`).exec(printed) ?? []
    const app = await arrive(link, email)
    // The code of this moment was spent by the set-up; the next one is taken half a minute early.
    shell.stdin.write(`${app.generate({ timestamp: Date.now() + 30_000 })}\n`)
  }
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      look()
    })
  }
  await closed
  clearTimeout(timer)
  // A script that fails leaves what it has started.
  endGroup('SIGKILL')
  if (failure !== null) throw failure
  return printed
}

const FINISHED = 'the trade is completed'

it('its commands lead from an empty database to a completed buy', async () => {
  const port = await findFreePort()
  const file = join(folder, 'tradepost.env')
  const settings = settingsOfPage({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRETS_KEY: newSecretsKey(),
    MARKET_A_URL: `${sandbox.url}/market-a`,
    MARKET_A_KEY: 'sandbox-market-a',
    MARKET_B_URL: `${sandbox.url}/market-b`,
    MARKET_B_KEY: 'sandbox-market-b',
    CATALOG_URL: `${sandbox.url}/catalog/public/en/`,
    PUBLIC_URL: `http://localhost:${port}`,
  })
  writeFileSync(file, settings, { mode: 0o600 })
  const lastCommand = guide.script.trimEnd().split('\n').at(-1)
  const waiting = `until [ "$(${lastCommand})" = completed ]; do sleep 0.2; done; echo "${FINISHED}"`
  const script = `${guide.script}\n${waiting}\nwait\n`
  const printed = await run(script, { ...shortened(port), SETTINGS: file })
  assert.match(printed, new RegExp(FINISHED))
  for (const expected of guide.prints.script) assert.match(printed, expected)
  assert.doesNotMatch(printed, /"level":"(error|fatal)"/)
  await auditBooks(database)
})
