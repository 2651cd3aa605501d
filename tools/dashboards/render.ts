// A description as the JSON that Grafana provisions. It names no installation: the data source is a variable,
// and what Grafana numbers itself is left out.
import type { Dashboard, Panel, Row, Unit } from './model.ts'

/** Where a person finds what to do, by the name of an alert. */
export type Runbooks = ReadonlyMap<string, string>

/** Grafana's names. */
const UNITS: Readonly<Record<Unit, string>> = {
  count: 'short',
  perSecond: 'ops',
  requestsPerSecond: 'reqps',
  seconds: 's',
  share: 'percentunit',
  bytes: 'bytes',
  dollars: 'currencyUSD',
  days: 'd',
  cores: 'none',
  flag: 'bool_yes_no',
}

const COLUMNS = 24
const SIZES: Readonly<Record<Panel['kind'], { readonly w: number; readonly h: number }>> = {
  stat: { w: 4, h: 4 },
  graph: { w: 8, h: 8 },
  table: { w: 12, h: 8 },
  states: { w: 12, h: 8 },
}
const SOURCE = { type: 'prometheus', uid: '$datasource' }
/** What Grafana 12 writes. */
const SCHEMA_VERSION = 41

export function renderDashboard(
  { name, title, about, rows }: Dashboard,
  runbooks: Runbooks,
): string {
  const dashboard = {
    uid: `tradepost-${name}`,
    title: `Tradepost / ${title}`,
    description: about,
    tags: ['tradepost'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        {
          ...{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
          ...{ current: {}, hide: 0, refresh: 1, regex: '', includeAll: false, multi: false },
        },
      ],
    },
    links: [
      {
        ...{ type: 'dashboards', title: 'Tradepost', tags: ['tradepost'], asDropdown: true },
        ...{ includeVars: true, keepTime: true, targetBlank: false, url: '', tooltip: '' },
      },
    ],
    annotations: {
      list: [
        {
          ...{ name: 'Alerts', enable: true, hide: false, datasource: SOURCE },
          ...{ iconColor: 'red', titleFormat: '{{alertname}}', textFormat: '{{severity}}' },
          expr: 'max by (alertname, severity) (ALERTS{alertstate="firing",severity="page"})',
          ...{ step: '60s', useValueForTime: false },
        },
      ],
    },
    panels: placePanels(rows, runbooks),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

/** From left to right, a new line where one is full or its row ends. */
function placePanels(rows: readonly Row[], runbooks: Runbooks): object[] {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    placed.push({
      ...{ id: placed.length + 1, type: 'row', title, collapsed: false, panels: [] },
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
    })
    y += 1
    let x = 0
    let lineHeight = 0
    for (const panel of panels) {
      const { w, h } = SIZES[panel.kind]
      if (x + w > COLUMNS) {
        y += lineHeight
        x = 0
        lineHeight = 0
      }
      placed.push({
        id: placed.length + 1,
        ...renderPanel(panel, runbooks),
        gridPos: { h, w, x, y },
      })
      x += w
      lineHeight = Math.max(lineHeight, h)
    }
    y += lineHeight
  }
  return placed
}

const TYPES = { graph: 'timeseries', stat: 'stat', table: 'table', states: 'state-timeline' }

function renderPanel(panel: Panel, runbooks: Runbooks): object {
  const { kind, title, queries } = panel
  const isNow = kind === 'stat' || kind === 'table'
  return {
    type: TYPES[kind],
    title,
    description: descriptionOf(panel, runbooks),
    datasource: SOURCE,
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    options: optionsOf(kind),
    ...(kind === 'table' && {
      transformations: [
        { id: 'organize', options: { excludeByName: { Time: true, __name__: true, Value: true } } },
      ],
    }),
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + i),
      datasource: SOURCE,
      editorMode: 'code',
      expr,
      legendFormat: legend,
      ...(isNow ? { instant: true, range: false } : { instant: false, range: true }),
      ...(kind === 'table' && { format: 'table' }),
    })),
  }
}

function descriptionOf({ about, alerts }: Panel, runbooks: Runbooks): string {
  const pages = alerts.map((alert) => {
    const page = runbooks.get(alert)
    if (page === undefined) throw new Error(`there is no alert ${alert}`)
    return `- ${alert}: ${page}`
  })
  return pages.length === 0 ? about : `${about}\n\nAlerts:\n${pages.join('\n')}`
}

function fieldDefaults({ kind, unit, warnAt, badAt, isBadBelow = false }: Panel): object {
  const marks = [
    ...(warnAt === undefined ? [] : [{ value: warnAt, color: 'orange' }]),
    ...(badAt === undefined ? [] : [{ value: badAt, color: 'red' }]),
  ].sort((a, b) => a.value - b.value)
  const colors = isBadBelow
    ? [...marks.map(({ color }) => color), 'green']
    : ['green', ...marks.map(({ color }) => color)]
  const steps = colors.map((color, i) => ({ color, value: marks[i - 1]?.value ?? null }))
  const isPlain = marks.length === 0
  return {
    unit: UNITS[unit],
    ...(kind === 'graph' && { min: 0 }),
    ...(unit === 'flag' && { max: 1, decimals: 0 }),
    color: {
      mode: kind === 'graph' ? 'palette-classic' : isPlain ? 'fixed' : 'thresholds',
      ...(kind !== 'graph' && isPlain && { fixedColor: 'text' }),
    },
    thresholds: { mode: 'absolute', steps },
    custom:
      kind === 'graph'
        ? {
            ...{ drawStyle: 'line', lineWidth: 1, fillOpacity: 8, showPoints: 'never' },
            ...{ spanNulls: false, lineInterpolation: unit === 'flag' ? 'stepAfter' : 'linear' },
            thresholdsStyle: { mode: isPlain ? 'off' : 'dashed' },
          }
        : kind === 'states'
          ? { lineWidth: 0, fillOpacity: 80 }
          : {},
  }
}

function optionsOf(kind: Panel['kind']): object {
  switch (kind) {
    case 'graph':
      return {
        legend: {
          ...{ displayMode: 'table', placement: 'bottom', showLegend: true },
          calcs: ['lastNotNull', 'max'],
        },
        tooltip: { mode: 'multi', sort: 'desc' },
      }
    case 'stat':
      return {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        ...{ colorMode: 'background', graphMode: 'none', justifyMode: 'auto', textMode: 'auto' },
      }
    case 'states':
      return {
        ...{ mergeValues: true, showValue: 'never', rowHeight: 0.8, alignValue: 'left' },
        legend: { displayMode: 'list', placement: 'bottom', showLegend: false },
        tooltip: { mode: 'single', sort: 'none' },
      }
    case 'table':
      return { showHeader: true, cellHeight: 'sm' }
  }
}
