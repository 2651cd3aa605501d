// A Prometheus of a test's own: Debian's package, with the configuration and the rules of deploy/prometheus,
// and the addresses of the test's processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { ROOT } from './child.ts'
import { until } from './until.ts'

export interface Prometheus {
  /** Values of an expression at every second since the start, without those that are no number. */
  valuesOf(expr: string): Promise<number[]>
  /** Names of all series that it has. */
  names(): Promise<string[]>
  stop(): Promise<void>
}

/** Why a test that needs the program is skipped; false when it is there. */
export const noPrometheus: string | false =
  spawnSync('prometheus', ['--version']).status === 0
    ? false
    : 'prometheus is not installed (Debian: apt-get install prometheus)'

/** Scrapes these addresses each second. */
export async function startPrometheus(options: {
  readonly folder: string
  readonly apis: readonly string[]
  readonly workers: readonly string[]
}): Promise<Prometheus> {
  const { folder, apis, workers } = options
  cpSync(join(ROOT, 'deploy/prometheus'), folder, { recursive: true })
  const config = join(folder, 'prometheus.yml')
  const text = readFileSync(config, 'utf8').replaceAll(/(_interval): \d+s/g, '$1: 1s')
  writeFileSync(config, text)
  const targets = { api: apis, worker: workers }
  for (const [role, urls] of Object.entries(targets)) {
    const hosts = urls.map((url) => new URL(url).host)
    writeFileSync(join(folder, `targets/${role}.yml`), JSON.stringify([{ targets: hosts }]))
  }
  const port = await findFreePort()
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const startedAt = Date.now() / 1000

  const ask = async (path: string, query: Readonly<Record<string, string>>): Promise<unknown> => {
    const url = `http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    const answer = (await response.json()) as { data: unknown; error?: string }
    if (!response.ok) throw new Error(`${JSON.stringify(query)}: ${answer.error}`)
    return answer.data
  }
  await until('Prometheus is ready', async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok
  })
  return {
    valuesOf: async (expr) => {
      const range = { start: String(startedAt), end: String(Date.now() / 1000), step: '1' }
      const { result } = (await ask('query_range', { query: expr, ...range })) as {
        result: { values: [number, string][] }[]
      }
      return result
        .flatMap(({ values }) => values.map(([, value]) => Number(value)))
        .filter((value) => !Number.isNaN(value))
    },
    names: async () => (await ask('label/__name__/values', {})) as string[],
    stop: async () => {
      process.off('exit', kill)
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
