// The sandbox as a child process: started with the service, started again when it dies, ended with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CannotStart } from '#infra/process/cannot-start'
import type { Log } from '#infra/process/log'
import { signal, startMarkOf, waitForEnd, whenEnded } from '#infra/process/processes'
import type { SandboxEnvironment } from './config.ts'
import { writeAtomically } from './data-folder.ts'

export interface SandboxProcess {
  readonly url: string
  stop(): Promise<void>
  /** Ends it without waiting. */
  kill(): void
}

const PROGRAM = join(import.meta.dirname, '../../../sandbox/src/main.ts')
const READY_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 8000

export async function startSandbox(
  environment: SandboxEnvironment,
  { dataDir, log, beforeLaunch }: { dataDir: string; log: Log; beforeLaunch: () => Promise<void> },
): Promise<SandboxProcess> {
  const pidFile = join(dataDir, 'sandbox.json')
  await endOrphan(pidFile)
  await beforeLaunch()
  const variables = {
    ...environment.variables,
    SANDBOX_HOST: environment.host,
    SANDBOX_DATA_DIR: join(dataDir, 'sandbox'),
  }
  let port = environment.port
  let stopping = false
  const launch = async (): Promise<{ child: ChildProcess; url: string }> => {
    const child = spawnSandbox({ ...variables, SANDBOX_PORT: String(port) }, log)
    writeAtomically(pidFile, JSON.stringify({ pid: child.pid, mark: startMarkOf(child.pid ?? -1) }))
    return { child, url: await readyUrl(child) }
  }
  const watch = (child: ChildProcess): void => {
    whenEnded(child, (code, name) => {
      if (stopping) return
      log.warn({ exit: name ?? code }, 'the sandbox ended; it is started again')
      restarting = restart()
    })
  }
  const restart = async (): Promise<void> => {
    for (let pauseMs = 250; !stopping; pauseMs = Math.min(pauseMs * 2, 10_000)) {
      try {
        current = await launch()
        return watch(current.child)
      } catch (error) {
        log.error({ err: error }, 'the sandbox does not start again')
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
  let restarting: Promise<void> = Promise.resolve()
  let current = await launch()
  // Clients that know its address must find it there after a restart too.
  port = Number(new URL(current.url).port)
  watch(current.child)

  return {
    url: current.url,
    kill: () => {
      stopping = true
      current.child.kill('SIGKILL')
    },
    stop: async () => {
      stopping = true
      await restarting
      await end(current.child.pid ?? -1)
      rmSync(pidFile, { force: true })
    },
  }
}

function spawnSandbox(environment: Record<string, string>, log: Log): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C must not end it before the requests that need it are finished.
    detached: true,
  })
  child.on('error', () => {})
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.warn({ event: 'sandbox_output', source: 'sandbox' }, line)
    })
  }
  return child
}

/** Waits for the line that says where it serves. */
function readyUrl(child: ChildProcess): Promise<string> {
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2000)
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new CannotStart('The sandbox was not ready in time.'))
    }, READY_TIMEOUT_MS)
    const failed = (): void => {
      clearTimeout(timer)
      const reason = complaint.trim().split('\n').at(-1) ?? ''
      reject(new CannotStart(`The sandbox does not start: ${reason || 'it gave no reason.'}`))
    }
    child.once('error', failed)
    child.once('exit', () => setImmediate(failed))
    if (!child.stdout) return
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = readyLine(line)
      if (url === null) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

function readyLine(line: string): string | null {
  try {
    const said = JSON.parse(line) as { event?: unknown; url?: unknown }
    return said.event === 'ready' && typeof said.url === 'string' ? said.url : null
  } catch {
    return null
  }
}

/** A sandbox that outlived a killed service would hold the port. */
async function endOrphan(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return
  const { pid, mark } = JSON.parse(readFileSync(pidFile, 'utf8')) as {
    pid?: number
    mark: string | null
  }
  if (pid && mark !== null && startMarkOf(pid) === mark) await end(pid)
  rmSync(pidFile, { force: true })
}

async function end(pid: number): Promise<void> {
  if (pid <= 0) return
  signal(pid, 'SIGTERM')
  if (await waitForEnd(pid, STOP_TIMEOUT_MS)) return
  signal(pid, 'SIGKILL')
  await waitForEnd(pid, 1000)
}
