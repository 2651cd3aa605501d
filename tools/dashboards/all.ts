// Every dashboard, as the file that Grafana is given.
import { readRules } from '../alerts/rules.ts'
import { API } from './api.ts'
import { CHAINS } from './chains.ts'
import { DATABASE } from './database.ts'
import { HOUSE } from './house.ts'
import { MARKETS } from './markets.ts'
import type { Dashboard } from './model.ts'
import { MONEY } from './money.ts'
import { renderDashboard } from './render.ts'
import { WEBHOOKS } from './webhooks.ts'

const DASHBOARDS: readonly Dashboard[] = [HOUSE, API, MARKETS, MONEY, CHAINS, WEBHOOKS, DATABASE]

/** Path from the root of the repository, and content. */
export function dashboardFiles(): { readonly path: string; readonly content: string }[] {
  const runbooks = new Map(readRules().map(({ alert, runbook }) => [alert, runbook]))
  return DASHBOARDS.map((dashboard) => ({
    path: `deploy/grafana/${dashboard.name}.json`,
    content: renderDashboard(dashboard, runbooks),
  }))
}
