// What a partner's people read: totals, children, orders of all of them, and how the markets are served.
import { dashboardRoutes } from '@tradepost/contract'
import { findChildren, type ListedChild, sliceChildren } from '#identity'
import type { Db } from '#infra/db'
import type { HeavyReads } from '#infra/heavy-reads'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { readBalance, readWallets } from '#ledger'
import type { MarketsHealth } from '#operations'
import { listTrades, readOrderFigures } from '#trades'
import { listView } from '#wire/dashboard/merchant'
import { dashboardChildView, dashboardOrderView } from '#wire/dashboard/partner'
import { moneyNumber } from '#wire/money'
import { healthView, statsView } from '#wire/partner/children'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'

export interface PartnerPagesDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readHealth(): Promise<MarketsHealth>
}

export function createPartnerPages({
  db,
  heavyReads,
  readHealth,
}: PartnerPagesDeps): Pick<
  DashboardOperations,
  | 'getPartnerOverview'
  | 'listChildren'
  | 'getChild'
  | 'listPartnerOrders'
  | 'getPartnerMarketHealth'
> {
  const withBalances = async (children: readonly ListedChild[]) => {
    const wallets = await readWallets(
      db,
      children.map(({ id }) => id),
    )
    const balances = new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance]))
    return children.map((child) => dashboardChildView(child, balances.get(child.id) ?? cents(0n)))
  }

  return {
    getPartnerOverview: operation(dashboardRoutes.getPartnerOverview, async ({ caller }) => {
      const id = partnerIdOf(caller)
      const figures = await heavyReads.run(id, (from) => readOrderFigures(from, id))
      return { balance: moneyNumber(await readBalance(db, id)), stats: statsView(figures) }
    }),

    listChildren: operation(dashboardRoutes.listChildren, async ({ caller, query }) => {
      const { q: prefix = null, status = null, cursor = null, limit } = query
      const filter = { prefix, status, cursor, limit }
      const { items, nextCursor } = await sliceChildren(db, partnerIdOf(caller), filter)
      return listView({ items: await withBalances(items), nextCursor })
    }),

    getChild: operation(dashboardRoutes.getChild, async ({ caller, params }) => {
      const found = await findChildren(db, partnerIdOf(caller), [params.id])
      const [child] = await withBalances(found)
      return child ?? refuse('USER_NOT_FOUND')
    }),

    listPartnerOrders: operation(dashboardRoutes.listPartnerOrders, async ({ caller, query }) => {
      const tenantId = partnerIdOf(caller)
      const { childId, itemName, from, to, cursor = null, limit } = query
      const filter = {
        tenantId,
        ...(childId !== undefined && { accountId: childId }),
        ...(itemName !== undefined && { itemName }),
        ...(from !== undefined && { from: new Date(from) }),
        ...(to !== undefined && { to: new Date(to) }),
      }
      const read = (at: Db) => at.snapshot((snap) => listTrades(snap, filter, { cursor, limit }))
      // A look for a name or a time may walk through many orders.
      const isHeavy = Boolean(itemName ?? from ?? to)
      const { items, nextCursor } = await (isHeavy ? heavyReads.run(tenantId, read) : read(db))
      const buyers = [...new Set(items.map(({ accountId }) => accountId))]
      const children = await findChildren(db, tenantId, buyers)
      const emails = new Map(children.map(({ id, email }) => [id, email]))
      return listView({
        items: items.map((trade) => dashboardOrderView(trade, emails.get(trade.accountId) ?? null)),
        nextCursor,
      })
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

/** Refuses FORBIDDEN for a person of any other kind of account. */
const partnerIdOf = ({ account }: LoggedIn): string =>
  account.kind === 'partner' ? account.id : refuse('FORBIDDEN')
