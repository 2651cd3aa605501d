// Evaluates the rules of Prometheus with its own program, over series of a healthy service and of each fault.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { CASES, HEALTHY } from './cases.ts'
import {
  noPromtool,
  OBJECTIVES,
  PROMETHEUS,
  RULES,
  readRules,
  runPromtool,
  withoutValues,
} from './rules.ts'
import type { AlertCase } from './series.ts'

const ROOT = join(import.meta.dirname, '../..')
const rules = readRules()
const folder = mkdtempSync(join(tmpdir(), 'tradepost-alerts-'))
const COPY = join(folder, 'rules.yml')
after(() => rmSync(folder, { recursive: true }))

it('every alert has a case in which it fires, and a page that says what to do', () => {
  const fired = new Set(CASES.flatMap(({ fires }) => Object.keys(fires)))
  assert.deepEqual(
    rules.map(({ alert }) => alert).filter((alert) => !fired.has(alert)),
    [],
  )
  for (const { runbook } of rules) assert.ok(existsSync(join(ROOT, runbook)), runbook)
})

it('the table of the runbooks leads from every alert to its page', () => {
  const table = readFileSync(join(ROOT, 'docs/runbooks/README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const missing = rules.filter(({ alert, runbook }) => {
    const page = runbook.replace('docs/runbooks/', '')
    return !table.some((row) => new RegExp(`\\b${alert}\\b`).test(row) && row.includes(`(${page})`))
  })
  assert.deepEqual(missing, [])
})

it('no metric has a label that Prometheus gives itself, and so renames', () => {
  const metrics = createMetrics()
  for (const label of ['job', 'instance']) {
    assert.throws(() => metrics.gauge('one', 'One', [label]), /given by Prometheus/)
    assert.throws(() => metrics.counter('two', 'Two', [label]), /given by Prometheus/)
    assert.throws(() => metrics.histogram('three', 'Three', { labels: [label] }), /by Prometheus/)
  }
})

it('the configuration and its rules are valid', { skip: noPromtool }, () => {
  const { code, printed } = runPromtool(['check', 'config', join(PROMETHEUS, 'prometheus.yml')])
  assert.equal(code, 0, printed)
})

it('of a healthy service no alert fires, and of each fault its own and no other', {
  skip: noPromtool,
}, () => {
  const healthy = [1, 75].map((at) => ({ name: 'healthy', series: {}, at, fires: {} }))
  writeFileSync(COPY, withoutValues(readFileSync(RULES, 'utf8')))
  const path = join(folder, 'alerts.json')
  // promtool reads YAML, of which JSON is a part.
  writeFileSync(path, JSON.stringify(unitTests([...healthy, ...CASES])))
  const { code, printed } = runPromtool(['test', 'rules', path])
  assert.equal(code, 0, printed)
})

/** Alerts wait for ten minutes at most, but for a few. */
const AT_MINUTE = 12

const unitTests = (cases: readonly AlertCase[]) => ({
  rule_files: [OBJECTIVES, COPY],
  evaluation_interval: '1m',
  tests: cases.map(({ name, series, at = AT_MINUTE, fires }) => ({
    name,
    interval: '1m',
    input_series: Object.entries({ ...HEALTHY, ...series })
      .filter(([, values]) => values !== null)
      .map(([one, values]) => ({ series: one, values })),
    alert_rule_test: rules.map(({ alert, severity, summary, runbook }) => ({
      eval_time: `${at}m`,
      alertname: alert,
      exp_alerts: (fires[alert] ?? []).map((labels) => ({
        exp_labels: { severity, ...labels },
        exp_annotations: { summary: rendered(summary, labels), runbook },
      })),
    })),
  })),
})

/** As Prometheus renders it, for the labels of a case. */
const rendered = (summary: string, labels: Readonly<Record<string, string>>): string =>
  withoutValues(summary).replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '')
