// The dashboards as files: what Grafana loads, and what Prometheus makes of their expressions. Whether they
// show anything is asked of a running installation, in tests/observability.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { noPromtool, OBJECTIVES, RULES, runPromtool } from '../alerts/rules.ts'
import { GRAFANA, metricsOf, readTargets, withWindow } from './expressions.ts'
import { UNSHOWN } from './unshown.ts'

const ROOT = join(import.meta.dirname, '../..')
const targets = readTargets()
const folder = mkdtempSync(join(tmpdir(), 'tradepost-dashboards-'))
after(() => rmSync(folder, { recursive: true }))

const files = globSync('*.json', { cwd: GRAFANA }).sort()
const textOf = (name: string): string => readFileSync(join(GRAFANA, name), 'utf8')

it('there is a dashboard of the house, the api, markets, money, chains, webhooks and the database', () => {
  assert.deepEqual(files, [
    ...['api.json', 'chains.json', 'database.json', 'house.json', 'markets.json', 'money.json'],
    'webhooks.json',
  ])
})

it('no dashboard names an installation: its data source is a variable, and Grafana numbers it', () => {
  for (const name of files) {
    const text = textOf(name)
    const { id, panels } = JSON.parse(text)
    assert.equal(id, undefined, name)
    const sources = [...text.matchAll(/"type": "prometheus",\s+"uid": "([^"]+)"/g)]
    assert.ok(sources.length > 0)
    for (const [, uid] of sources) assert.equal(uid, '$datasource', name)
    assert.doesNotMatch(text, /https?:\/\//, name)
    const ids = panels.map((panel: { id: number }) => panel.id)
    assert.equal(new Set(ids).size, ids.length, name)
  }
})

it('every panel has a title of its own, a unit, and says what it shows', () => {
  for (const name of files) {
    const { panels } = JSON.parse(textOf(name))
    const shown = panels.filter(({ type }: { type: string }) => type !== 'row')
    const titles = shown.map(({ title }: { title: string }) => title)
    assert.equal(new Set(titles).size, titles.length, name)
    for (const { title, description, fieldConfig } of shown) {
      assert.match(description, /\.(\n|$)/, title)
      assert.ok(fieldConfig.defaults.unit, title)
    }
  }
})

it('panels of a dashboard do not cover each other', () => {
  for (const name of files) {
    const { panels } = JSON.parse(textOf(name))
    const taken = new Set<string>()
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(x < 24 && !taken.has(`${x}/${y}`), `${name}: ${title}`)
          taken.add(`${x}/${y}`)
        }
      }
    }
  }
})

it('Prometheus can read every expression', { skip: noPromtool }, () => {
  const rules = targets.map(({ expr }, i) => ({ record: `panel:${i}`, expr: withWindow(expr) }))
  const path = join(folder, 'panels.yml')
  // promtool reads YAML, of which JSON is a part.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  const { code, printed } = runPromtool(['check', 'rules', path])
  assert.equal(code, 0, printed)
})

/** Names of metrics in the code; the library's own are scraped in tests/observability. */
const MADE = /\.(?:gauge|counter|histogram)\(\s*'([a-z0-9_]+)'/g
const made = new Set(
  globSync('apps/server/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(MADE)])
    .map(([, name = '']) => name),
)
const ofRuntime = (name: string): boolean => /^(nodejs|process)_/.test(name)

it('every metric of an expression is measured', () => {
  const unknown = targets
    .flatMap(({ panel, expr }) => metricsOf(expr).map((name) => ({ panel, name })))
    .filter(({ name }) => !made.has(name) && !ofRuntime(name))
  assert.deepEqual(unknown, [])
})

it('every metric is shown by a panel, or used by a rule, or listed with its reason', () => {
  const rules = [RULES, OBJECTIVES].flatMap((path) => metricsOf(readFileSync(path, 'utf8')))
  const used = new Set([...targets.flatMap(({ expr }) => metricsOf(expr)), ...rules])
  assert.ok(made.size > 80, `${made.size} metrics are found in the code`)
  assert.deepEqual(
    [...made].filter((name) => !used.has(name) && !Object.hasOwn(UNSHOWN, name)),
    [],
  )
  assert.deepEqual(
    Object.keys(UNSHOWN).filter((name) => used.has(name) || !(made.has(name) || ofRuntime(name))),
    [],
    'the list has no metric that is shown, or that is gone',
  )
})
