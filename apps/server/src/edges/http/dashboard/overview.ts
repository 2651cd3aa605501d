// Volume, fees, trades and balances of a merchant or partner over a time, in buckets for its charts.
import { dashboardRoutes, type OverviewQuery } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { readWallets } from '#ledger'
import { readSeries, readTotals } from '#trades'
import { DISABLED_BY_OWNER, type Endpoint, listEndpoints } from '#webhooks'
import { type OverviewData, overviewView } from '#wire/dashboard/merchant'
import { partnerOverviewView } from '#wire/dashboard/partner'
import { refuseField } from '../shared/failure.ts'
import { readFirstSteps } from './merchant/first-steps.ts'
import { type DashboardAccount, type DashboardOperations, operation } from './operation.ts'
import { partnerIdOf } from './partner/as-partner.ts'

export interface OverviewDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readonly clock: Clock
}

export const createOverviewOperations = (
  deps: OverviewDeps,
): Pick<DashboardOperations, 'getOverview' | 'getPartnerOverview'> => ({
  getOverview: operation(dashboardRoutes.getOverview, async ({ query, caller }) => {
    const { id: accountId, kind } = caller.account
    const data = await readOverview(deps, caller.account, query)
    const of = { accountId, personId: caller.session.person.id, at: deps.clock.now() }
    // People of a partner may open the address; the page sends them to their own.
    const firstSteps =
      kind === 'merchant' ? await readFirstSteps(deps.db, { ...of, ...data }) : null
    return { ...overviewView(data), firstSteps }
  }),

  getPartnerOverview: operation(dashboardRoutes.getPartnerOverview, async ({ query, caller }) => {
    partnerIdOf(caller)
    return partnerOverviewView(await readOverview(deps, caller.account, query))
  }),
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DEFAULT_DAYS = 30
const MAX_DAYS = 366
/** Up to here a bucket is an hour. */
const HOURLY_DAYS = 3

async function readOverview(
  { db, heavyReads, clock }: OverviewDeps,
  { id, currency }: Pick<DashboardAccount, 'id' | 'currency'>,
  query: OverviewQuery,
): Promise<OverviewData & { readonly endpoints: readonly Endpoint[] }> {
  const to = query.to === undefined ? clock.now() : new Date(query.to)
  const from =
    query.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(query.from)
  const lengthMs = to.getTime() - from.getTime()
  if (lengthMs <= 0) refuseRange('must be before `to`')
  if (lengthMs > MAX_DAYS * DAY_MS) refuseRange(`is more than ${MAX_DAYS} days before \`to\``)
  const unit = lengthMs <= HOURLY_DAYS * DAY_MS ? 'hour' : 'day'
  const range = { from, to, currency }
  const before = { from: new Date(from.getTime() - lengthMs), to: new Date(from.getTime() - 1) }
  const [{ figures, previous, series, asOf }, wallets, endpoints] = await Promise.all([
    heavyReads.run(id, (_, staleReads) =>
      staleReads(({ snapshot, asOf }) =>
        snapshot(async (at) => ({
          figures: await readTotals(at, id, range),
          previous: await readTotals(at, id, { ...before, currency }),
          series: await readSeries(at, id, { ...range, unit }),
          asOf,
        })),
      ),
    ),
    readWallets(db, [id]),
    listEndpoints(db, id),
  ])
  const endpoint = endpoints.find(isTroubled) ?? endpoints[0] ?? null
  return { currency, unit, figures, previous, series, asOf, wallets, endpoints, endpoint }
}

/** Its account should know: it fails, or we have disabled it. */
const isTroubled = ({ failingSince, status, disabledReason }: Endpoint): boolean =>
  failingSince !== null || (status === 'disabled' && disabledReason !== DISABLED_BY_OWNER)

const refuseRange = (message: string): never =>
  refuseField({ in: 'query', pointer: '/from', rule: 'range', message })
