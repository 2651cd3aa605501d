// The service's processes as children.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answered, Surroundings } from '../../apps/server/src/edges/cli/run.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { type Child, jsonLine, ROOT, startChild } from './child.ts'
import { flagsOf } from './node-flags.ts'

export type Role = 'api' | 'worker' | 'all-in-one'

export interface Server extends Child {
  /** Empty for a worker. */
  readonly baseUrl: string
  readonly metricsUrl: string
}

export type Settings = Readonly<Record<string, string>>

const programOf = (role: Role | 'migrate', root = ROOT): string =>
  join(root, `apps/server/src/main/${role}.ts`)

export const newSecretsKey = (): string => randomBytes(32).toString('hex')

/** Free ports, and limits that do not stand in the way of a test that is not about limits. */
const DEFAULTS: Settings = {
  PORT: '0',
  METRICS_PORT: '0',
  RATE_LIMIT_SCALE: '10000',
  FOLLOW_INTERVAL_MS: '200',
  DB_POOL_SIZE: '8',
  LOG_LEVEL: 'info',
}

/** Starts a process, of this checkout or of the one in `root`, and waits until it says that it is ready. */
export async function startServer(
  role: Role,
  settings: Settings,
  {
    ownSession = false,
    root = ROOT,
  }: { readonly ownSession?: boolean; readonly root?: string } = {},
): Promise<Server> {
  const env = { ...DEFAULTS, ...settings }
  const flagsOfNode = flagsOf(role, root)
  const child = startChild(programOf(role, root), [], env, { flagsOfNode, ownSession, root })
  const { baseUrl, metricsUrl } = await child.line((line) => {
    const said = jsonLine(line)
    return said?.msg === 'ready'
      ? { baseUrl: String(said.baseUrl ?? ''), metricsUrl: String(said.metricsUrl) }
      : null
  })
  return { ...child, baseUrl, metricsUrl }
}

/** Runs a process that is expected to end by itself. */
export async function runServer(
  role: Role | 'migrate',
  settings: Settings,
  args: readonly string[] = [],
  root = ROOT,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...DEFAULTS, ...settings }
  const flagsOfNode = flagsOf(role, root)
  const child = startChild(programOf(role, root), args, env, { flagsOfNode, root })
  const { code } = await child.exited
  return { code, stdout: child.stdout(), stderr: child.stderr() }
}

/** One command of the operator, in this process: its start alone would take longer than its work. */
export async function answerOps(
  settings: Settings,
  args: readonly string[],
  {
    clock = systemClock,
    ask = refuseQuestion,
    readInput = async () => null,
  }: Partial<Pick<Surroundings, 'clock' | 'ask' | 'readInput'>> = {},
): Promise<Answered> {
  const { runOps } = await import('../../apps/server/src/edges/cli/run.ts')
  const { opsParts } = await import('../../apps/server/src/main/ops-parts.ts')
  return runOps(args, { ...opsParts(clock, { ...DEFAULTS, ...settings }), ask, readInput })
}

const refuseQuestion = async (question: string): Promise<never> => {
  throw new Error(`the test does not answer “${question}”`)
}

/** The operator's command line; a command that fails fails the test. */
export async function ops(settings: Settings, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await answerOps(settings, args)
  assert.equal(code, 0, `ops ${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd()
}

/** `demo.json`, as people and scripts read it. */
export interface Demo {
  readonly baseUrl: string
  readonly metricsUrl: string
  readonly dashboardUrl: string
  readonly docsUrl: string
  readonly sandboxUrl: string
  readonly merchant: {
    readonly apiKey: string
    readonly email: string
    readonly password: string
    readonly webhookSecret: string
  }
  readonly partner: {
    readonly apiKey: string
    readonly childApiKey: string
    readonly email: string
    readonly password: string
    readonly webhookSecret: string
  }
  readonly admin: { readonly email: string; readonly password: string }
}

export const readDemo = (dataDir: string): Demo =>
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo

/** The value of one time series; null when there is none. */
export async function metricOf(
  server: Pick<Server, 'metricsUrl'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const response = await fetch(`${server.metricsUrl}/metrics`, {
    signal: AbortSignal.timeout(10_000),
  })
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith(name)) continue
    const matches = Object.entries(labels).every(([label, value]) =>
      line.includes(`${label}="${value}"`),
    )
    if (matches && /^[{ ]/.test(line.slice(name.length))) {
      return Number(line.slice(line.lastIndexOf(' ') + 1))
    }
  }
  return null
}
