// Sub-users of a merchant, for a person: the merchant interface's own operations, each change with its audit
// row.
import { dashboardRoutes } from '@tradepost/contract'
import { getSubUser, sliceSubUsers } from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { ActName } from '#kernel/act-name'
import { readWallet, readWallets } from '#ledger'
import { readLimitUse } from '#trades'
import { listView } from '#wire/dashboard/merchant'
import { limitUseView, subUserListItemView, subUserView } from '#wire/merchant/sub-user'
import type { Operation, OperationRequest, RouteShape } from '../../shared/operation.ts'
import type { Caller } from '../../shared/principal.ts'
import { type AuditedAct, audited } from '../audited.ts'
import { createDashboardLedger, type LedgerPagesDeps } from '../ledger-page.ts'
import {
  type DashboardOperation,
  type DashboardOperations,
  type DashboardRouteShape,
  type LoggedIn,
  operation,
} from '../operation.ts'
import { type AsMerchantDeps, type MerchantWrites, merchantCaller } from './as-merchant.ts'

export interface SubUserPagesDeps extends AsMerchantDeps, LedgerPagesDeps {
  readonly clock: Clock
  /** The operations that change something, on the database that is given. */
  writes(db: Db): MerchantWrites
}

type SubUserOperations = Pick<
  DashboardOperations,
  | 'listUsers'
  | 'createUser'
  | 'getUser'
  | 'updateUser'
  | 'deleteUser'
  | 'suspendUser'
  | 'reactivateUser'
  | 'fundUser'
  | 'defundUser'
  | 'transferEarningsToSpot'
  | 'listUserLedger'
>

export function createSubUserPages(deps: SubUserPagesDeps): SubUserOperations {
  const { db } = deps
  const readLedgerPage = createDashboardLedger(deps)
  const change = <D extends DashboardRouteShape>(
    route: D,
    pick: (writes: MerchantWrites) => Operation<Caller>,
    act: (request: { readonly params: Params; readonly body: object }) => AuditedAct,
  ): DashboardOperation<D> =>
    operation(route, async (typed) => {
      const request = typed as unknown as OperationRequest<RouteShape, LoggedIn>
      const { params, body, caller } = request as unknown as ChangeRequest
      const tracked = audited(deps, caller.actor, () => act({ params, body: body ?? {} }))
      const inner = pick(deps.writes(tracked))
      return (await inner.handle({
        ...request,
        caller: await merchantCaller(deps, request.caller),
      })) as never
    })
  const ofUser =
    (act: ActName) =>
    ({ params, body }: { readonly params: Params; readonly body: object }): AuditedAct => ({
      ...{ act, subject: { type: 'sub_user', id: params.id ?? null } },
      details: { ...body },
    })

  return {
    listUsers: operation(dashboardRoutes.listUsers, async ({ query, caller }) => {
      const { q: prefix = null, status = null, cursor = null, limit } = query
      const slice = await sliceSubUsers(db, caller.account.id, { prefix, status, cursor, limit })
      const wallets = await readWallets(
        db,
        slice.items.map(({ id }) => id),
      )
      const balances = new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance]))
      const items = slice.items.map((subUser) =>
        subUserListItemView(subUser, balances.get(subUser.id)),
      )
      return listView({ items, nextCursor: slice.nextCursor })
    }),
    getUser: operation(dashboardRoutes.getUser, async ({ caller, params }) => {
      const { id } = (await merchantCaller(deps, caller)).tenant
      const subUser = await getSubUser(db, id, params.id)
      const user = subUserView(subUser, await readWallet(db, subUser.id))
      const at = deps.clock.now()
      const used = user.limits && limitUseView(await readLimitUse(db, subUser.id, at))
      return { ...user, used }
    }),
    listUserLedger: operation(dashboardRoutes.listUserLedger, async ({ caller, params, query }) => {
      const { id } = (await merchantCaller(deps, caller)).tenant
      const subUser = await getSubUser(db, id, params.id)
      return readLedgerPage(id, { ownerId: subUser.id, kind: 'spot' }, query)
    }),
    createUser: change(
      dashboardRoutes.createUser,
      ({ createSubUser }) => createSubUser,
      ({ body }) => ({
        act: 'sub_user.create',
        subject: { type: 'sub_user', id: null },
        details: { ...body },
      }),
    ),
    updateUser: change(
      dashboardRoutes.updateUser,
      (writes) => writes.updateSubUser,
      ofUser('sub_user.update'),
    ),
    deleteUser: change(
      dashboardRoutes.deleteUser,
      (writes) => writes.deleteSubUser,
      ofUser('sub_user.delete'),
    ),
    suspendUser: change(
      dashboardRoutes.suspendUser,
      (writes) => writes.suspendSubUser,
      ofUser('sub_user.suspend'),
    ),
    reactivateUser: change(
      dashboardRoutes.reactivateUser,
      (writes) => writes.reactivateSubUser,
      ofUser('sub_user.reactivate'),
    ),
    fundUser: change(
      dashboardRoutes.fundUser,
      (writes) => writes.fundSubUser,
      ofUser('sub_user.fund'),
    ),
    defundUser: change(
      dashboardRoutes.defundUser,
      (writes) => writes.defundSubUser,
      ofUser('sub_user.defund'),
    ),
    transferEarningsToSpot: change(
      dashboardRoutes.transferEarningsToSpot,
      (writes) => writes.transferEarnings,
      ({ body }) => ({
        act: 'wallet.transfer_earnings',
        subject: { type: 'wallet', id: 'earnings' },
        details: { ...body },
      }),
    ),
  }
}

type Params = Readonly<Record<string, string>>

interface ChangeRequest {
  readonly params: Params
  readonly body: object | undefined
  readonly caller: LoggedIn
}
