// The merchant's sub-users: create, list, read, change, suspend, reactivate, delete.
import { merchantRoutes, type UpdateSubUserBody } from '@tradepost/contract'
import {
  changeSubUser,
  createSubUser,
  type DeletionDeps,
  deleteSubUser,
  getSubUser,
  listSubUsers,
  reactivateSubUser,
  type SubUser,
  type SubUserLimits,
  suspendSubUser,
} from '#identity'
import type { Db, Queryable, Tx } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { type Cents, cents } from '#kernel/money'
import { readWallet, readWallets } from '#ledger'
import { createdView, subUserListView, subUserView } from '#wire/merchant/sub-user'
import { type MerchantOperations, operation } from '../operation.ts'

export interface UsersDeps extends DeletionDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readonly clock: Clock
}

export function createUsersOperations({
  db,
  heavyReads,
  clock,
  openBusiness,
  closeBusiness,
}: UsersDeps): Pick<
  MerchantOperations,
  | 'createSubUser'
  | 'listSubUsers'
  | 'getSubUser'
  | 'updateSubUser'
  | 'suspendSubUser'
  | 'reactivateSubUser'
  | 'deleteSubUser'
> {
  /** Changes a sub-user of the caller and shows it as it is then. */
  const change = (
    merchantId: string,
    reference: string,
    work: (tx: Tx, id: string, at: Date) => Promise<SubUser>,
  ) =>
    db.transaction(async (tx) => {
      const { id } = await getSubUser(tx, merchantId, reference)
      return withWallet(tx, await work(tx, id, clock.now()))
    })

  return {
    createSubUser: operation(merchantRoutes.createSubUser, async ({ caller, body }) => {
      const { tenant } = caller
      const { subUser, replayed } = await db.transaction((tx) =>
        createSubUser(tx, {
          merchantId: tenant.id,
          currency: body.currency ?? tenant.currency,
          email: body.email ?? null,
          platformId: body.platformId ?? null,
          externalId: body.externalId ?? null,
          at: clock.now(),
        }),
      )
      return createdView(subUser, replayed)
    }),

    listSubUsers: operation(merchantRoutes.listSubUsers, async ({ caller, query }) => {
      const filter = {
        prefix: query.q ?? null,
        status: query.status ?? null,
        page: query.page,
        limit: query.limit,
      }
      // The total counts all of them, and a deep page walks to its place.
      const { id } = caller.tenant
      const page = await heavyReads.run(id, (heavyDb) => listSubUsers(heavyDb, id, filter))
      const ids = page.items.map((subUser) => subUser.id)
      const wallets = await readWallets(db, ids)
      return subUserListView(
        page,
        new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance])),
      )
    }),

    getSubUser: operation(merchantRoutes.getSubUser, async ({ caller, params }) =>
      withWallet(db, await getSubUser(db, caller.tenant.id, params.id)),
    ),

    updateSubUser: operation(merchantRoutes.updateSubUser, ({ caller, params, body }) =>
      change(caller.tenant.id, params.id, (tx, id, at) =>
        changeSubUser(tx, id, {
          email: body.email ?? null,
          platformId: body.platformId ?? null,
          externalId: body.externalId ?? null,
          limits: limitsOf(body.limits),
          at,
        }),
      ),
    ),

    suspendSubUser: operation(merchantRoutes.suspendSubUser, ({ caller, params }) =>
      change(caller.tenant.id, params.id, suspendSubUser),
    ),

    reactivateSubUser: operation(merchantRoutes.reactivateSubUser, ({ caller, params }) =>
      change(caller.tenant.id, params.id, reactivateSubUser),
    ),

    deleteSubUser: operation(merchantRoutes.deleteSubUser, ({ caller, params }) =>
      db.transaction(async (tx) => {
        const { id } = await getSubUser(tx, caller.tenant.id, params.id)
        await deleteSubUser(tx, id, clock.now(), { openBusiness, closeBusiness })
        return { id, status: 'deleted' as const }
      }),
    ),
  }
}

const limitsOf = (limits: UpdateSubUserBody['limits']): Partial<SubUserLimits> | null | undefined =>
  limits && {
    perTrade: centsOrNull(limits.perTradeCents),
    perDay: centsOrNull(limits.perDayCents),
    openTrades: limits.openTrades ?? null,
  }

const centsOrNull = (amount: number | undefined): Cents | null =>
  amount === undefined ? null : cents(BigInt(amount))

const withWallet = async (db: Queryable, subUser: SubUser) =>
  subUserView(subUser, await readWallet(db, subUser.id))
