// The health check of a container: exit code 0 when its api answers `/healthz`, its worker its metrics. Other
// roles are well as long as they run. It reads two settings by itself: the table of all of them takes ten
// times as long to load, and this runs every few seconds.
import { readFileSync } from 'node:fs'

const TIMEOUT_MS = 3000

/** Of a process with this command line; null where nothing is asked. */
export function healthUrl(commandLine: string, env: NodeJS.ProcessEnv): string | null {
  const port = Number(env.PORT || 3000)
  if (commandLine.includes('/main/api.ts')) return `http://127.0.0.1:${port}/healthz`
  if (!commandLine.includes('/main/worker.ts')) return null
  return `http://127.0.0.1:${env.METRICS_PORT || port + 3}/metrics`
}

if (import.meta.main) {
  const url = healthUrl(readFileSync('/proc/1/cmdline', 'utf8'), process.env)
  if (url !== null) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      (error: Error) => ({ ok: false, status: String(error.cause ?? error.message) }),
    )
    if (!answer.ok) {
      process.stderr.write(`tradepost: ${url} answers ${answer.status}.\n`)
      process.exitCode = 1
    }
  }
}
