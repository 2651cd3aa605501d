// What a partner's people read and do: totals, children and the money that moves to them, their orders, fees,
// and how the markets are served.
import { dashboardRoutes } from '@tradepost/contract'
import { findChildren, type ListedChild, readSettings, sliceChildren } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { readWallets } from '#ledger'
import { changeFees, type MarketsHealth, readPartnerFigures } from '#operations'
import { effectivePartnerFees, readGlobalDefaultBps, readWithdrawFeeBps } from '#pricing'
import { listTrades, readChildFigures } from '#trades'
import { asOfView } from '#wire/dashboard/as-of'
import { partnerFiguresView } from '#wire/dashboard/figures'
import { listView } from '#wire/dashboard/merchant'
import { dashboardChildView, dashboardOrderView, partnerFeesView } from '#wire/dashboard/partner'
import { healthView, statsView } from '#wire/partner/children'
import { tradeStatusesOf } from '#wire/partner/order'
import { createDashboardLedger } from '../ledger-page.ts'
import { type DashboardOperations, operation } from '../operation.ts'
import { type AsPartnerDeps, asPartner, partnerIdOf } from './as-partner.ts'
import { readChildEmails } from './child-emails.ts'
import { createTransferList } from './transfers.ts'

export interface PartnerPagesDeps extends AsPartnerDeps {
  readonly heavyReads: HeavyReads
  readHealth(): Promise<MarketsHealth>
}

type PartnerPages = Pick<
  DashboardOperations,
  | 'listChildren'
  | 'getChild'
  | 'openChild'
  | 'listChildLedger'
  | 'listPartnerLedger'
  | 'listTransfers'
  | 'makeTransfer'
  | 'getPartnerFees'
  | 'setPartnerFee'
  | 'listPartnerOrders'
  | 'getPartnerMarketHealth'
  | 'getPartnerFigures'
>

export function createPartnerPages(deps: PartnerPagesDeps): PartnerPages {
  return { ...createTradingPages(deps), ...createChildPages(deps), ...createMoneyPages(deps) }
}

/** Orders and markets. */
function createTradingPages({
  db,
  clock,
  heavyReads,
  readHealth,
}: PartnerPagesDeps): Pick<
  PartnerPages,
  'listPartnerOrders' | 'getPartnerMarketHealth' | 'getPartnerFigures'
> {
  return {
    listPartnerOrders: operation(dashboardRoutes.listPartnerOrders, async ({ caller, query }) => {
      const tenantId = partnerIdOf(caller)
      const { childId, status, itemName, from, to, cursor = null, limit } = query
      const filter = {
        tenantId,
        ...(childId !== undefined && { accountId: childId }),
        ...(status !== undefined && { statuses: tradeStatusesOf(status) }),
        ...(itemName !== undefined && { itemName }),
        ...(from !== undefined && { from: new Date(from) }),
        ...(to !== undefined && { to: new Date(to) }),
      }
      const read = (from: Db) => listTrades(from, filter, { cursor, limit })
      // A look for a state, a name or a time may walk through many orders.
      const isHeavy = Boolean(status ?? itemName ?? from ?? to)
      const { items, nextCursor } = await (isHeavy ? heavyReads.run(tenantId, read) : read(db))
      const buyers = items.map(({ accountId }) => accountId)
      const emails = await readChildEmails(db, caller.account, buyers)
      return listView({
        items: items.map((trade) => dashboardOrderView(trade, emails.get(trade.accountId) ?? null)),
        nextCursor,
      })
    }),

    getPartnerFigures: operation(dashboardRoutes.getPartnerFigures, async ({ caller, query }) => {
      const partnerId = partnerIdOf(caller)
      const { span = 'week' } = query
      return partnerFiguresView(await readPartnerFigures(db, { partnerId, span, at: clock.now() }))
    }),

    getPartnerMarketHealth: operation(
      dashboardRoutes.getPartnerMarketHealth,
      async ({ caller }) => {
        partnerIdOf(caller)
        return healthView(await readHealth())
      },
    ),
  }
}

function createChildPages(
  deps: PartnerPagesDeps,
): Pick<PartnerPages, 'listChildren' | 'getChild' | 'openChild'> {
  const { db, heavyReads } = deps
  const withBalances = async (children: readonly ListedChild[]) => {
    const wallets = await readWallets(
      db,
      children.map(({ id }) => id),
    )
    const balances = new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance]))
    return children.map((child) => dashboardChildView(child, balances.get(child.id) ?? cents(0n)))
  }

  return {
    listChildren: operation(dashboardRoutes.listChildren, async ({ caller, query }) => {
      const { q: prefix = null, status = null, cursor = null, limit } = query
      const filter = { prefix, status, cursor, limit }
      const { items, nextCursor } = await sliceChildren(db, partnerIdOf(caller), filter)
      return listView({ items: await withBalances(items), nextCursor })
    }),

    getChild: operation(dashboardRoutes.getChild, async ({ caller, params }) => {
      const partnerId = partnerIdOf(caller)
      const [child] = await withBalances(await findChildren(db, partnerId, [params.id]))
      if (child === undefined) return refuse('USER_NOT_FOUND')
      const of = { tenantId: partnerId, accountId: child.id }
      const { figures, asOf } = await heavyReads.run(partnerId, (_, staleReads) =>
        staleReads(async (at) => ({ figures: await readChildFigures(at, of), asOf: at.asOf })),
      )
      return { ...child, stats: statsView(figures), ...asOfView({ asOf }) }
    }),

    openChild: asPartner(
      deps,
      dashboardRoutes.openChild,
      ({ createChild }) => createChild,
      (details) => ({ act: 'child.create', subject: { type: 'child', id: null }, details }),
    ),
  }
}

function createMoneyPages(
  deps: PartnerPagesDeps,
): Pick<
  PartnerPages,
  | 'listChildLedger'
  | 'listPartnerLedger'
  | 'listTransfers'
  | 'makeTransfer'
  | 'getPartnerFees'
  | 'setPartnerFee'
> {
  const { db } = deps
  const readLedgerPage = createDashboardLedger(deps)
  const fees = async (partnerId: string) => {
    const [{ feeBps, buyFeeBps }, defaultBps, withdrawFeeBps] = await Promise.all([
      readSettings(db, partnerId),
      readGlobalDefaultBps(db),
      readWithdrawFeeBps(db),
    ])
    const agreed = { role: 'partner', feeBps, partner: { feeBps, buyFeeBps } } as const
    return partnerFeesView(effectivePartnerFees(agreed, defaultBps), { buyFeeBps, withdrawFeeBps })
  }
  return {
    listChildLedger: operation(
      dashboardRoutes.listChildLedger,
      async ({ caller, params, query }) => {
        const partnerId = partnerIdOf(caller)
        const [child] = await findChildren(db, partnerId, [params.id])
        if (child === undefined) return refuse('USER_NOT_FOUND')
        return readLedgerPage(partnerId, { ownerId: child.id, kind: 'spot' }, query)
      },
    ),

    listPartnerLedger: operation(dashboardRoutes.listPartnerLedger, ({ caller, query }) => {
      const ownerId = partnerIdOf(caller)
      return readLedgerPage(ownerId, { ownerId, kind: 'spot' }, query)
    }),

    listTransfers: createTransferList(deps),

    makeTransfer: asPartner(
      deps,
      dashboardRoutes.makeTransfer,
      ({ transferToChild }) => transferToChild,
      (details) => {
        const { toApiKeyId, toEmail } = details
        const id = String(toApiKeyId ?? toEmail)
        return { act: 'child.transfer', subject: { type: 'child', id }, details }
      },
    ),

    getPartnerFees: operation(dashboardRoutes.getPartnerFees, ({ caller }) =>
      fees(partnerIdOf(caller)),
    ),

    setPartnerFee: operation(dashboardRoutes.setPartnerFee, async ({ caller, body }) => {
      const accountId = partnerIdOf(caller)
      await changeFees(deps, caller.actor, { accountId, fees: { buyFeeBps: body.partnerFeeBps } })
      return fees(accountId)
    }),
  }
}
