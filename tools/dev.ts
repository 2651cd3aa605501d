// `npm run dev`: the service as an api and a worker process, the sandbox, and the pages of the dashboard,
// each started again (the pages: replaced in the browser) when its code changes. The database stays up, and
// the data are those of `npm start`.
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDb } from '../apps/server/src/infra/database/db.ts'
import { migrate } from '../apps/server/src/infra/database/migrations.ts'
import { CannotStart } from '../apps/server/src/infra/process/cannot-start.ts'
import { systemClock } from '../apps/server/src/infra/process/clock.ts'
import { createLog } from '../apps/server/src/infra/process/log.ts'
import { signal, waitForEnd } from '../apps/server/src/infra/process/processes.ts'
import { readConfig } from '../apps/server/src/main/config.ts'
import { takeDataFolder } from '../apps/server/src/main/data-folder.ts'
import { seedDemo } from '../apps/server/src/main/demo/seed.ts'
import { writeDemoFile } from '../apps/server/src/main/demo-file.ts'
import { announceToSandbox } from '../apps/server/src/main/environment.ts'
import { type Lifecycle, runProcess } from '../apps/server/src/main/lifecycle.ts'
import { refuseBusyPort } from '../apps/server/src/main/listen.ts'
import { openDatabaseUrl } from '../apps/server/src/main/migrate.ts'
import { openSecretBox } from '../apps/server/src/main/sealing-key.ts'
import { jsonLine } from '../tests/support/child.ts'
import { flagsOf } from '../tests/support/node-flags.ts'
import { readOptions } from './options.ts'

const ROOT = join(import.meta.dirname, '..')
const STOP_MS = 12_000
const SHOWN_LEVELS = new Set(['warn', 'error', 'fatal'])

type Say = (name: string, text: string) => void

/** Lines of all of them, each with who says it. */
const say: Say = (name, text) => {
  process.stdout.write(`${`[${name}]`.padEnd(10)} ${text}\n`)
}

readOptions({
  name: 'npm run dev',
  about: 'The service, the sandbox and the dashboard, each started again when its code changes.',
  options: {},
})

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const log = createLog({ level: config.logLevel ?? 'warn', base: { role: 'dev' } })
  const { environment } = config
  if (environment.kind !== 'sandbox') {
    throw new CannotStart('npm run dev uses the sandbox: unset the settings of the markets.')
  }
  const folder = takeDataFolder(config.dataDir)
  lifecycle.onStop('data folder', () => folder.release())
  const pagesPort = config.http.port + 4
  await refuseBusyPort('PORT', config.http)
  await refuseBusyPort('SANDBOX_PORT', environment)
  const secrets = openSecretBox(config, { mayMake: true })

  say('dev', 'starting the database and the sandbox')
  const url = await openDatabaseUrl(config, lifecycle, { log })
  const sandboxUrl = `http://${environment.host}:${environment.port}`
  const baseUrl = `http://${config.http.host}:${config.http.port}`
  const run = createRunner(lifecycle)
  const sandbox = run('sandbox', ['apps/sandbox/src/main.ts'], {
    env: {
      ...environment.variables,
      SANDBOX_HOST: environment.host,
      SANDBOX_PORT: String(environment.port),
      SANDBOX_DATA_DIR: join(config.dataDir, 'sandbox'),
    },
    // Where its notices go, which it forgets with each start.
    onReady: () => announceToSandbox(sandboxUrl, baseUrl),
  })
  await migrate(url)
  const db = openDb({ url, poolSize: 1, applicationName: 'tradepost dev' })
  const { webhooks, payoutCallbackUrl } = config
  const demo = await seedDemo({ db, clock: systemClock, secrets, webhooks, payoutCallbackUrl })
  await db.close()
  await sandbox.ready
  lifecycle.proceed()

  const env = { DATABASE_URL: url, DATA_DIR: config.dataDir, LOG_LEVEL: 'info' }
  const worker = run('worker', [...flagsOf('worker'), 'apps/server/src/main/worker.ts'], { env })
  const api = run('api', [...flagsOf('api'), 'apps/server/src/main/api.ts'], { env })
  await Promise.all([worker.ready, api.ready])
  const dashboardUrl = await runPages(lifecycle, { port: pagesPort, service: baseUrl })
  writeDemoFile(
    join(config.dataDir, 'demo.json'),
    {
      ...{
        baseUrl,
        sandboxUrl,
        dashboardUrl: `${baseUrl.replace('127.0.0.1', 'localhost')}/dashboard`,
      },
      metricsUrl: `http://${config.metrics.host}:${config.metrics.port}`,
    },
    demo,
  )
  say('dev', `service ${baseUrl}, dashboard ${dashboardUrl}, sandbox ${sandboxUrl}`)
  say(
    'dev',
    `the keys are in ${join(config.dataDir, 'demo.json')}; every save is taken up; Ctrl-C ends all`,
  )
  return log
})

interface Watched {
  /** Its first start. */
  readonly ready: Promise<void>
}

interface WatchedOptions {
  readonly env: Readonly<Record<string, string>>
  /** After each start. */
  readonly onReady?: () => Promise<void>
}

/** Programs of ours under `node --watch`: every file that they import starts them again. */
function createRunner(lifecycle: Lifecycle) {
  return (name: string, args: readonly string[], { env, onReady }: WatchedOptions): Watched => {
    const ready = Promise.withResolvers<void>()
    let startedAt = performance.now()
    const flags = ['--watch', '--watch-preserve-output', '--disable-warning=ExperimentalWarning']
    const child = start(lifecycle, name, { command: [...flags, ...args], cwd: ROOT, env })
    onLine(child, (line) => {
      const entry = jsonLine(line)
      if (entry === null) {
        if (line.startsWith('Change detected')) startedAt = performance.now()
        else if (/^(Waiting for graceful|Gracefully restarted)/.test(line)) return
        else if (line.trim() !== '') say(name, line)
      } else if (entry.msg === 'ready' || entry.event === 'ready') {
        say(name, `ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
        void (onReady?.() ?? Promise.resolve()).then(ready.resolve, ready.reject)
      } else if (SHOWN_LEVELS.has(String(entry.level))) {
        say(name, line)
      }
    })
    child.once('exit', () =>
      ready.reject(new CannotStart(`The ${name} ended before it was ready.`)),
    )
    return { ready: ready.promise }
  }
}

/** Vite's own server, which replaces in the browser what was saved; calls go to the service. */
function runPages(
  lifecycle: Lifecycle,
  { port, service }: { readonly port: number; readonly service: string },
): Promise<string> {
  const cwd = join(ROOT, 'apps/dashboard')
  const vite = createRequire(join(cwd, 'package.json')).resolve('vite/package.json')
  const command = [join(dirname(vite), 'bin/vite.js'), '--port', String(port), '--strictPort']
  const child = start(lifecycle, 'pages', { command, cwd, env: { SERVICE_URL: service } })
  return new Promise((resolve, reject) => {
    onLine(child, (line) => {
      if (/\bready in\b/.test(line)) resolve(`http://localhost:${port}/dashboard/`)
      else if (/error|warn|reload|update/i.test(line)) say('pages', line.trim())
    })
    child.once('exit', () =>
      reject(new CannotStart('The server of the pages ended before it was ready.')),
    )
  })
}

function start(
  lifecycle: Lifecycle,
  name: string,
  {
    command,
    cwd,
    env,
  }: { command: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
): ChildProcess {
  const child = spawn(process.execPath, [...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches this process alone, which ends the others in order.
    detached: true,
  })
  child.on('error', () => {})
  lifecycle.onStop(name, async () => {
    signal(child.pid ?? -1, 'SIGTERM')
    if (!(await waitForEnd(child.pid ?? -1, STOP_MS))) killAll(child)
  })
  lifecycle.onAbandon(() => killAll(child))
  return child
}

/** The one that watches and the one that it watches. */
function killAll({ pid = -1 }: ChildProcess): void {
  if (pid > 0) signal(-pid, 'SIGKILL')
}

function onLine({ stdout, stderr }: ChildProcess, read: (line: string) => void): void {
  for (const input of [stdout, stderr]) if (input) createInterface({ input }).on('line', read)
}
