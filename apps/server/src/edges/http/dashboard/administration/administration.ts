// What administrators of the service read and switch.
import { type AdminHealth, dashboardRoutes } from '@tradepost/contract'
import { listAudit } from '#audit'
import { countStubs, listStates } from '#catalog'
import { describeAccount, findAccount, listAccounts, readTradeUrlSource } from '#identity'
import type { Queryable } from '#infra/database/db'
import { type JobBeat, listAllHeartbeats, processOf } from '#infra/jobs/heartbeats'
import type { Figures } from '#infra/process/process-figures'
import type { MarketId } from '#kernel/market-id'
import { refuse } from '#kernel/refusal'
import { readWallets } from '#ledger'
import {
  type ActDeps,
  changeDebtRecovery,
  changeMarketAccount,
  changeStatus,
  changeTier,
  countWaiting,
  type MarketsHealth,
  pauseTrading,
  readPacedAccounts,
  readSupplierAccounts,
  resumeTrading,
  switchMarket,
} from '#operations'
import { listFrozenWallets } from '#outbound'
import { hasStrongFactor, readPersonEmails } from '#people'
import { countReversals, listClosedGates } from '#reconciliation'
import {
  accountsView,
  accountView,
  healthView,
  marketAccountView,
} from '#wire/dashboard/administration'
import { type DashboardOperations, operation } from '../operation.ts'

export interface AdministrationDeps extends ActDeps {
  readMarketHealth(): Promise<MarketsHealth>
  /** The kinds of calls to the game platform, with those that it refuses to our address. */
  readPlatformKinds(): Promise<
    readonly { readonly kind: string; readonly barred: { readonly since: Date } | null }[]
  >
  isPaused(): Promise<boolean>
  /** Of the process that answers. */
  readFigures(): Figures
  readonly marketIds: readonly MarketId[]
}

const HOUR_MS = 3_600_000

export const createAdministrationOperations = (
  deps: AdministrationDeps,
): Pick<
  DashboardOperations,
  | 'listAccounts'
  | 'updateAccount'
  | 'switchTrading'
  | 'switchMarket'
  | 'listMarketAccounts'
  | 'switchMarketAccount'
  | 'getHealth'
  | 'countWaiting'
> => ({
  listAccounts: operation(dashboardRoutes.listAccounts, async ({ query }) => {
    const { q: text = null, kind = null, status = null, page, limit } = query
    const accounts = await listAccounts(deps.db, { text, kind, status, page, limit })
    const wallets = await readWallets(
      deps.db,
      accounts.items.map(({ id }) => id),
    )
    return accountsView(accounts, wallets)
  }),

  updateAccount: operation(dashboardRoutes.updateAccount, async ({ params, body, caller }) => {
    const { id } = params
    const known = await findAccount(deps.db, id)
    if (known === null || !['merchant', 'partner', 'child'].includes(known.kind)) {
      return refuse('USER_NOT_FOUND')
    }
    const reason = body.reason ?? 'dashboard'
    if (body.tier) await changeTier(deps, caller.actor, { accountId: id, tier: body.tier })
    if (body.status) {
      await changeStatus(deps, caller.actor, { accountId: id, status: body.status, reason })
    }
    if (body.recoversDebts !== undefined) {
      const { recoversDebts } = body
      await changeDebtRecovery(deps, caller.actor, { accountId: id, recoversDebts, reason })
    }
    return accountView(await describeAccount(deps.db, id), await readWallets(deps.db, [id]))
  }),

  switchTrading: operation(dashboardRoutes.switchTrading, async ({ body, caller }) => {
    const act = body.paused ? pauseTrading : resumeTrading
    await act(deps, caller.actor, body.reason)
    return { paused: body.paused }
  }),

  switchMarket: operation(dashboardRoutes.switchMarket, async ({ params, body, caller }) => {
    const market = deps.marketIds.find((id) => id === params.market)
    if (market === undefined) return refuse('NOT_FOUND')
    await switchMarket(deps, caller.actor, { market, enabled: body.enabled, reason: body.reason })
    return { market, enabled: body.enabled }
  }),

  listMarketAccounts: operation(dashboardRoutes.listMarketAccounts, async () =>
    (await readPacedAccounts(deps)).map(marketAccountView),
  ),

  switchMarketAccount: operation(
    dashboardRoutes.switchMarketAccount,
    async ({ params, body, caller }) => {
      const { market, account } = params
      const { enabled, reason } = body
      const state = enabled ? 'enabled' : 'draining'
      await changeMarketAccount(deps, caller.actor, { market, account, state, reason })
      return { market, account, enabled }
    },
  ),

  getHealth: operation(dashboardRoutes.getHealth, async ({ caller }) => {
    const hourAgo = new Date(deps.clock.now().getTime() - HOUR_MS)
    const [
      health,
      reversals,
      accounts,
      tradingPaused,
      lists,
      stubItems,
      frozenWallets,
      kinds,
      source,
      beats,
      gates,
    ] = await Promise.all([
      deps.readMarketHealth(),
      countReversals(deps.db, hourAgo),
      readSupplierAccounts(deps.db),
      deps.isPaused(),
      listStates(deps.db),
      countStubs(deps.db),
      listFrozenWallets(deps.db),
      deps.readPlatformKinds(),
      readTradeUrlSource(deps.db),
      listAllHeartbeats(deps.db),
      listClosedGates(deps.db),
    ])
    const pause = tradingPaused ? await findPause(deps.db) : null
    const secondFactorMissing = !hasStrongFactor(caller.session.person)
    const platformRefuses = kinds.flatMap(({ kind, barred }) =>
      barred === null ? [] : [{ kind, since: barred.since.toISOString() }],
    )
    return healthView(health, {
      ...{ tradingPaused, pause, secondFactorMissing },
      ...{ accounts, lists, stubItems, frozenWallets, platformRefuses, reversals },
      tradeUrls: source ?? 'unknown',
      process: processView(deps.readFigures()),
      silentProcesses: silentProcesses(beats, deps.clock.now()),
      closedGates: gates.map(({ market, closedAt }) => ({
        gate: market,
        since: (closedAt ?? deps.clock.now()).toISOString(),
      })),
    })
  }),

  countWaiting: operation(dashboardRoutes.countWaiting, () => countWaiting(deps)),
})

const processView = ({ historyChangedAt, ...figures }: Figures): AdminHealth['process'] => ({
  ...figures,
  historyChangedAt: historyChangedAt?.toISOString() ?? null,
})

/** Six beats missed. */
const SILENT_MS = 30_000

/** One that ends in order takes its beats along. */
function silentProcesses(beats: readonly JobBeat[], now: Date): AdminHealth['silentProcesses'] {
  const lastBeats = new Map<string, Date>()
  for (const beat of beats) {
    const processId = processOf(beat)
    const last = lastBeats.get(processId)
    if (last === undefined || last < beat.beatAt) lastBeats.set(processId, beat.beatAt)
  }
  return [...lastBeats]
    .filter(([, beatAt]) => now.getTime() - beatAt.getTime() > SILENT_MS)
    .map(([processId, beatAt]) => ({ processId, lastBeatAt: beatAt.toISOString() }))
}

/** The act by which trading was paused last; null where the audit log has none. */
async function findPause(db: Queryable): Promise<AdminHealth['pause']> {
  const [entry] = await listAudit(db, { act: 'trading.pause', limit: 1 })
  if (entry === undefined) return null
  const { at, actor, details } = entry
  const emails = await readPersonEmails(db, [actor.id])
  return {
    since: at.toISOString(),
    by: emails.get(actor.id) ?? actor.id,
    reason: String(details.reason ?? ''),
  }
}
