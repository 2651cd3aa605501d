// The alerts of deploy/prometheus/alerts.yml, as far as their tests need them.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder that Prometheus is started with. */
export const PROMETHEUS = join(import.meta.dirname, '../../deploy/prometheus')
export const RULES = join(PROMETHEUS, 'alerts.yml')
/** Series that the alerts read. */
export const OBJECTIVES = join(PROMETHEUS, 'objectives.yml')

export interface Rule {
  readonly alert: string
  readonly severity: string
  /** One sentence, with `{{ $labels.name }}`, `{{ $value }}` and the values of other series. */
  readonly summary: string
  /** Path of the page, from the root of the repository. */
  readonly runbook: string
}

/** In the form that the file has: one alert after the other, labels and each annotation on one line. */
export function readRules(): Rule[] {
  const [, ...parts] = readFileSync(RULES, 'utf8').split(/^ *- alert: /m)
  return parts.map((part) => {
    const alert = /^\w+/.exec(part)?.[0]
    const severity = /severity: (\w+)/.exec(part)?.[1]
    const summary = /summary: '([^']+)'/.exec(part)?.[1]
    const runbook = /runbook: ([\w./-]+)/.exec(part)?.[1]
    if (!alert || !severity || !summary || !runbook) {
      throw new Error(`an alert lacks its name, severity, summary or runbook:\n${part}`)
    }
    return { alert, severity, summary, runbook }
  })
}

/** The same rules with `N` for each value in a summary: a case knows the labels of its alerts alone. */
export const withoutValues = (text: string): string =>
  text.replace(QUERIED, 'N').replace(/\{\{ \$value[^}]*\}\}/g, 'N')
/** The value of another series. */
const QUERIED = /\{\{ with printf "[^"]*" [^}]* \| query \}\}\{\{[^}]*\}\}\{\{ end \}\}/g

/** Why a test of rules is skipped; false when the program is there. */
export const noPromtool: string | false =
  spawnSync('promtool', ['--version']).status === 0
    ? false
    : 'promtool is not installed (Debian: apt-get install prometheus)'

/** What it printed; it ends with 0 only when everything is as expected. */
export function runPromtool(args: readonly string[]): { code: number | null; printed: string } {
  // With little to collect at a time, a third of its work is collecting.
  const env = { ...process.env, GOGC: '1000' }
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', env })
  return { code: status, printed: `${stdout}${stderr}` }
}
