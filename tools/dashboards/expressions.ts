// What the files of deploy/grafana ask, read from the files themselves, as Grafana reads them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const GRAFANA = join(import.meta.dirname, '../../deploy/grafana')

export interface Target {
  /** File and panel, for messages and lists. */
  readonly panel: string
  readonly legend: string
  readonly expr: string
}

interface GrafanaPanel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

export const readTargets = (): Target[] =>
  readdirSync(GRAFANA)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const { panels } = JSON.parse(readFileSync(join(GRAFANA, name), 'utf8')) as {
        readonly panels: readonly GrafanaPanel[]
      }
      return panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr, legendFormat }) => ({
          panel: `${name.replace('.json', '')}: ${title}`,
          legend: legendFormat,
          expr,
        })),
      )
    })

/** As Prometheus takes it, for a window in which a process that is scraped each second has samples. */
export const withWindow = (expr: string, window = '30s'): string =>
  expr.replaceAll('$__rate_interval', window)

/** Metrics of ours in an expression, a histogram by its own name. */
export const metricsOf = (expr: string): string[] =>
  [...expr.matchAll(/\btradepost_([a-z0-9_]+)/g)].map(([, name = '']) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )
