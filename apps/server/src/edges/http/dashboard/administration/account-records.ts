// What belongs to one account, as administrators list it: the lists that its own pages have, by its id.
import { dashboardRoutes } from '@tradepost/contract'
import { listTenantDeposits } from '#deposits'
import {
  type DescribedAccount,
  describeAccount,
  type ListedChild,
  type SubUser,
  sliceChildren,
  sliceSubUsers,
} from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { StaleReads } from '#infra/database/replica'
import type { Clock } from '#infra/process/clock'
import { listWithdrawals } from '#payouts'
import { listInvitations, listMembers } from '#people'
import { listTrades } from '#trades'
import { listDeliveries, readEndpointIds } from '#webhooks'
import { subAccountView } from '#wire/dashboard/admin-accounts'
import { asOfView } from '#wire/dashboard/as-of'
import { teamView } from '#wire/dashboard/members'
import { listView } from '#wire/dashboard/merchant'
import { dashboardDepositView } from '#wire/dashboard/money'
import { withdrawalView } from '#wire/merchant/payout'
import { tradeView } from '#wire/merchant/trade'
import { type DashboardOperations, operation } from '../operation.ts'
import { deliveryViews } from './delivery-views.ts'

export interface AccountRecordsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly heavyReads: HeavyReads
  readonly staleReads: StaleReads
}

type AccountRecordOperations = Pick<
  DashboardOperations,
  | 'listTradesOfAccount'
  | 'listDepositsOfAccount'
  | 'listWithdrawalsOfAccount'
  | 'listDeliveriesOfAccount'
  | 'listUsersOfAccount'
  | 'listMembersOfAccount'
>

const dateOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

/** Whose business it is part of, and whether it is only a part. */
export const scopeOf = ({ id, parentId }: DescribedAccount) =>
  parentId === null ? { tenantId: id } : { tenantId: parentId, accountId: id }

export function createAccountRecordOperations({
  db,
  clock,
  heavyReads,
  staleReads,
}: AccountRecordsDeps): AccountRecordOperations {
  return {
    listTradesOfAccount: operation(
      dashboardRoutes.listTradesOfAccount,
      async ({ params, query }) => {
        const scope = scopeOf(await describeAccount(db, params.id))
        const { cursor = null, limit, status, type, from, to } = query
        const filter = {
          ...scope,
          ...(status !== undefined && { statuses: [status] }),
          ...(type !== undefined && { type }),
          ...(from !== undefined && { from: new Date(from) }),
          ...(to !== undefined && { to: new Date(to) }),
        }
        const slice = { cursor, limit }
        const { page, asOf } = await heavyReads.run(scope.tenantId, (_, ofTenant) =>
          ofTenant(async (at) => ({ page: await listTrades(at, filter, slice), asOf: at.asOf })),
        )
        const items = page.items.map(tradeView)
        return { ...listView({ items, nextCursor: page.nextCursor }), ...asOfView({ asOf }) }
      },
    ),

    listDepositsOfAccount: operation(
      dashboardRoutes.listDepositsOfAccount,
      async ({ params, query }) => {
        const { tenantId, accountId = null } = scopeOf(await describeAccount(db, params.id))
        return staleReads(async (at) => {
          const { items, nextCursor } = await listTenantDeposits(at, tenantId, {
            ...{ accountId, status: query.status ?? null, method: query.method ?? null },
            ...{ from: dateOf(query.from), to: dateOf(query.to) },
            ...{ cursor: query.cursor ?? null, limit: query.limit },
          })
          return { items: items.map(dashboardDepositView), nextCursor, ...asOfView(at) }
        })
      },
    ),

    listWithdrawalsOfAccount: operation(
      dashboardRoutes.listWithdrawalsOfAccount,
      async ({ params, query }) => {
        const { id: ownerId } = await describeAccount(db, params.id)
        return staleReads(async (at) => {
          const { items, nextCursor } = await listWithdrawals(at, {
            ...{ of: { ownerId }, status: query.status ?? null, externalId: null, forUserId: null },
            ...{ from: dateOf(query.from), to: dateOf(query.to) },
            ...{ cursor: query.cursor ?? null, limit: query.limit },
          })
          return { items: items.map(withdrawalView), nextCursor, ...asOfView(at) }
        })
      },
    ),

    listDeliveriesOfAccount: operation(
      dashboardRoutes.listDeliveriesOfAccount,
      async ({ params, query: { status = null, cursor = null, limit } }) => {
        const { id } = await describeAccount(db, params.id)
        const endpointIds = await readEndpointIds(db, id)
        if (endpointIds.length === 0) return { items: [], nextCursor: null }
        const asked = { endpointIds, status, cursor, limit }
        return staleReads(async (at) => {
          const { items, nextCursor } = await listDeliveries(at, asked)
          return { items: await deliveryViews(at, items), nextCursor, ...asOfView(at) }
        })
      },
    ),

    listUsersOfAccount: operation(
      dashboardRoutes.listUsersOfAccount,
      async ({ params, query: { status = null, cursor = null, limit } }) => {
        const { id, kind } = await describeAccount(db, params.id)
        const filter = { prefix: null, status, cursor, limit }
        return staleReads(async (at) => {
          const page: {
            readonly items: readonly (SubUser | ListedChild)[]
            readonly nextCursor: string | null
          } = await (kind === 'partner'
            ? sliceChildren(at, id, filter)
            : sliceSubUsers(at, id, filter))
          const ofKind = kind === 'partner' ? 'child' : 'sub_user'
          const items = page.items.map((account) => subAccountView(account, ofKind))
          return { items, nextCursor: page.nextCursor, ...asOfView(at) }
        })
      },
    ),

    listMembersOfAccount: operation(
      dashboardRoutes.listMembersOfAccount,
      async ({ params, caller }) => {
        const { id } = await describeAccount(db, params.id)
        const [members, invitations] = await Promise.all([
          listMembers(db, id),
          listInvitations(db, id, clock.now()),
        ])
        return teamView({ members, invitations, selfId: caller.session.person.id })
      },
    ),
  }
}
