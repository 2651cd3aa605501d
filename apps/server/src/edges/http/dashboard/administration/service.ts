// The service as a whole: chains, defaults, what the bots buy, queues, suppliers, books.
import { dashboardRoutes } from '@tradepost/contract'
import { readWaitingLimit } from '#buying'
import type { MarketState } from '#catalog'
import { CHAIN_IDS, listChains } from '#chains'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  changeGlobalDefault,
  changePolicy,
  listBooksAudits,
  listQueue,
  readQueues,
  readServiceFigures,
  readSuppliers,
  setWaitingLimit,
  switchChain,
} from '#operations'
import { readGlobalDefaultBps } from '#pricing'
import { readPolicy } from '#selling'
import {
  booksView,
  chainView,
  queueRowsView,
  queuesView,
  sellingPolicyView,
  supplierView,
} from '#wire/dashboard/admin-service'
import { serviceFiguresView } from '#wire/dashboard/figures'
import { type DashboardOperations, operation } from '../operation.ts'

/** Of a queue. */
const MOST_LISTED = 100

export interface ServiceDeps extends ActDeps {
  listMarkets(): Promise<readonly MarketState[]>
}

type ServiceOperations = Pick<
  DashboardOperations,
  | 'getServiceFigures'
  | 'listAdminChains'
  | 'switchChain'
  | 'getDefaults'
  | 'setDefaults'
  | 'getSellingPolicy'
  | 'setSellingPolicy'
  | 'getQueues'
  | 'listQueue'
  | 'listSuppliers'
  | 'getBooksAudit'
>

export function createServiceOperations(deps: ServiceDeps): ServiceOperations {
  const { db } = deps
  const readDefaults = async () => ({
    feeBps: await readGlobalDefaultBps(db),
    waitingLimit: await readWaitingLimit(db),
  })
  return {
    getServiceFigures: operation(dashboardRoutes.getServiceFigures, async ({ query }) => {
      const { span = 'week' } = query
      return serviceFiguresView(await readServiceFigures(db, { span, at: deps.clock.now() }))
    }),

    listAdminChains: operation(dashboardRoutes.listAdminChains, async () =>
      (await listChains(db)).map(chainView),
    ),

    switchChain: operation(dashboardRoutes.switchChain, async ({ params, body, caller }) => {
      const chain = CHAIN_IDS.find((id) => id === params.chain) ?? refuse('NOT_FOUND')
      const { enabled, reason } = body
      await switchChain(deps, caller.actor, { chain, enabled, reason })
      return { chain, enabled }
    }),

    getDefaults: operation(dashboardRoutes.getDefaults, readDefaults),

    setDefaults: operation(dashboardRoutes.setDefaults, async ({ body, caller }) => {
      const { feeBps, waitingLimit, reason } = body
      if (feeBps !== undefined) await changeGlobalDefault(deps, caller.actor, feeBps, reason)
      if (waitingLimit !== undefined) {
        await setWaitingLimit(deps, caller.actor, { limit: waitingLimit, reason })
      }
      return readDefaults()
    }),

    getSellingPolicy: operation(dashboardRoutes.getSellingPolicy, async () =>
      sellingPolicyView(await readPolicy(db)),
    ),

    setSellingPolicy: operation(dashboardRoutes.setSellingPolicy, async ({ body, caller }) => {
      const { leastQuoteCents: least, mostQuoteCents: most, ...change } = body
      await changePolicy(deps, caller.actor, {
        ...change,
        ...(least !== undefined && { leastQuote: cents(BigInt(least)) }),
        ...(most !== undefined && { mostQuote: cents(BigInt(most)) }),
      })
      return sellingPolicyView(await readPolicy(db))
    }),

    getQueues: operation(dashboardRoutes.getQueues, async () => queuesView(await readQueues(deps))),

    listQueue: operation(dashboardRoutes.listQueue, async ({ params: { name } }) => {
      const rows = await listQueue(deps, { name, limit: MOST_LISTED })
      return queueRowsView(rows ?? refuse('NOT_FOUND'))
    }),

    listSuppliers: operation(dashboardRoutes.listSuppliers, async () =>
      (await readSuppliers(deps)).map(supplierView),
    ),

    getBooksAudit: operation(dashboardRoutes.getBooksAudit, async () =>
      booksView(await listBooksAudits(db)),
    ),
  }
}
