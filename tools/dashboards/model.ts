// How a dashboard is described: rows of panels, each with what it asks Prometheus. `render.ts` makes of it
// what Grafana loads.

export type Unit =
  | 'count'
  | 'perSecond'
  | 'requestsPerSecond'
  | 'seconds'
  | 'share'
  | 'bytes'
  | 'dollars'
  | 'days'
  | 'cores'
  /** 0 or 1, shown as no or yes. */
  | 'flag'

export interface Query {
  readonly expr: string
  /** Of each series; `{{label}}` stands for the label's value. */
  readonly legend: string
}

interface Limits {
  /** From here on it is shown in orange, and in red. */
  readonly warnAt?: number
  readonly badAt?: number
  /** The smaller, the worse. */
  readonly isBadBelow?: boolean
}

export interface Panel extends Limits {
  /** Over time, its newest value, a list, or its states over time. */
  readonly kind: 'graph' | 'stat' | 'table' | 'states'
  readonly title: string
  readonly unit: Unit
  /** What is seen, and what it means when it changes. */
  readonly about: string
  readonly queries: readonly Query[]
  /** Rules that watch the same: the page of each says what to do. */
  readonly alerts: readonly string[]
}

export interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

export interface Dashboard {
  /** Of its file. */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly rows: readonly Row[]
}

type Asked = Omit<Panel, 'kind' | 'title' | 'queries' | 'alerts'> &
  Partial<Pick<Panel, 'alerts'>> & {
    /** Expressions by their legend. */
    readonly shows: Readonly<Record<string, string>>
  }

const panelOf =
  (kind: Panel['kind']) =>
  (title: string, { shows, alerts = [], ...rest }: Asked): Panel => ({
    ...{ kind, title, alerts, ...rest },
    queries: Object.entries(shows).map(([legend, expr]) => ({ legend, expr })),
  })

export const graph = panelOf('graph')
export const stat = panelOf('stat')
export const table = panelOf('table')
export const states = panelOf('states')

/** Of our own processes alone. */
export const OURS = 'job=~"tradepost-.*"'

/** Events a second of a counter, summed by labels. */
export const rate = (counter: string, by: string, matching = ''): string =>
  `sum by (${by}) (rate(tradepost_${counter}${matching && `{${matching}}`}[$__rate_interval]))`

/** Events of the last hour. */
export const lastHour = (counter: string, by: string): string =>
  `sum by (${by}) (increase(tradepost_${counter}[1h]))`

/** A quantile of a histogram, by labels. */
export const quantile = (share: number, histogram: string, by = '', matching = ''): string =>
  `histogram_quantile(${share}, sum by (${by && `${by}, `}le) (rate(tradepost_${histogram}_bucket${
    matching && `{${matching}}`
  }[$__rate_interval])))`

/** Several processes may show a gauge of the database: the largest is the one that holds. */
export const most = (gauge: string, by = '', matching = ''): string =>
  `max${by && ` by (${by})`} (tradepost_${gauge}${matching && `{${matching}}`})`

/** Seconds since a moment that a gauge has. */
export const since = (gauge: string, by = '', matching = ''): string =>
  `time() - ${most(gauge, by, matching)}`

/** A line at 0 where an expression has no series: nothing of the kind has happened. */
export const orNone = (label: string, expr: string): string =>
  `${expr} or on () label_replace(vector(0), "${label}", "none", "", "")`
