// Money that waits for an administrator, and the wallets that the service signs from.
import { dashboardRoutes } from '@tradepost/contract'
import { type HeldPayment, listHeldPayments, readDeposits } from '#deposits'
import { readAccountNames } from '#identity'
import type { Hex } from '#kernel/chain'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  decideHeldPayment,
  inspectCustodyDeposit,
  inspectDeposit,
  inspectWithdrawal,
  readServiceWallets,
  refuseWithdrawal,
  releaseWithdrawal,
  switchWallet,
} from '#operations'
import { listHeld } from '#payouts'
import { readPersonEmails } from '#people'
import {
  adminCustodyDepositView,
  adminDepositView,
  adminWithdrawalView,
  heldView,
  serviceWalletView,
  waitingWithdrawalView,
} from '#wire/dashboard/money'
import { nameOfAccount } from '../administration/account-name.ts'
import { type DashboardOperations, operation } from '../operation.ts'

/** More than this waits only when something is broken. */
const MOST_LISTED = 1_000

type MoneyOperations = Pick<
  DashboardOperations,
  | 'listHeldPayments'
  | 'decideHeldPayment'
  | 'inspectDeposit'
  | 'inspectWithdrawal'
  | 'listWaitingWithdrawals'
  | 'decideWithdrawal'
  | 'listServiceWallets'
  | 'switchWallet'
>

export function createMoneyAdministration(deps: ActDeps): MoneyOperations {
  const decidersOf = (held: readonly HeldPayment[]) =>
    readPersonEmails(
      deps.db,
      held.flatMap(({ decidedBy }) => decidedBy ?? []),
    )
  return {
    listHeldPayments: operation(dashboardRoutes.listHeldPayments, async () => {
      const held = await listHeldPayments(deps.db, MOST_LISTED)
      const ids = [...new Set(held.map(({ depositId }) => depositId))]
      const deposits = new Map((await readDeposits(deps.db, ids)).map((one) => [one.id, one]))
      const accountIds = [...deposits.values()].map(({ accountId }) => accountId)
      const accounts = await readAccountNames(deps.db, accountIds)
      const names = await decidersOf(held)
      return held.flatMap((payment) => {
        const deposit = deposits.get(payment.depositId)
        if (deposit === undefined) return []
        const { accountId, token } = deposit
        const accountName = accounts.get(accountId) ?? accountId
        return { ...heldView(payment, names), accountId, accountName, token }
      })
    }),

    decideHeldPayment: operation(
      dashboardRoutes.decideHeldPayment,
      async ({ caller, params, body: { decision, reason } }) => {
        const state = decision === 'release' ? 'released' : 'refused'
        const order = { id: params.id, state, reason } as const
        const held = await decideHeldPayment(deps, caller.actor, order)
        return heldView(held, await decidersOf([held]))
      },
    ),

    inspectDeposit: operation(dashboardRoutes.inspectDeposit, async ({ params: { id } }) => {
      const { db } = deps
      const found = await db.snapshot((at) => inspectDeposit(at, id))
      if (found !== null) {
        const accountName = await nameOfAccount(db, found.deposit.accountId)
        return adminDepositView(found, { accountName, names: await decidersOf(found.held) })
      }
      const custody = await db.snapshot((at) => inspectCustodyDeposit(at, id))
      if (custody === null) return refuse('DEPOSIT_NOT_FOUND')
      return adminCustodyDepositView(custody, await nameOfAccount(db, custody.deposit.merchantId))
    }),

    inspectWithdrawal: operation(dashboardRoutes.inspectWithdrawal, async ({ params: { id } }) => {
      const found = await deps.db.snapshot((at) => inspectWithdrawal(at, id))
      if (found === null) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
      const accountName = await nameOfAccount(deps.db, found.withdrawal.ownerId)
      const deciders = found.decisions.map(({ actorId }) => actorId)
      const names = await readPersonEmails(deps.db, deciders)
      return adminWithdrawalView(found, { accountName, names })
    }),

    listWaitingWithdrawals: operation(dashboardRoutes.listWaitingWithdrawals, async () => {
      const waiting = await listHeld(deps.db, MOST_LISTED)
      const owners = await readAccountNames(
        deps.db,
        waiting.map(({ ownerId }) => ownerId),
      )
      return waiting.map((one) =>
        waitingWithdrawalView(one, owners.get(one.ownerId) ?? one.ownerId),
      )
    }),

    decideWithdrawal: operation(
      dashboardRoutes.decideWithdrawal,
      async ({ caller, params: { id }, body: { decision, reason } }) => {
        const order = { id, reason }
        if (decision === 'refuse')
          return { outcome: await refuseWithdrawal(deps, caller.actor, order) }
        await releaseWithdrawal(deps, caller.actor, order)
        return { outcome: 'released' as const }
      },
    ),

    listServiceWallets: operation(dashboardRoutes.listServiceWallets, async () =>
      (await deps.db.snapshot(readServiceWallets)).map(serviceWalletView),
    ),

    switchWallet: operation(dashboardRoutes.switchWallet, async ({ caller, params, body }) => {
      const { chain, key } = params
      const { halted, reason } = body
      const foreignHashes = (body.foreignHashes ?? []).map((hash) => hash.toLowerCase() as Hex)
      const change = { halt: halted, reason, foreignHashes }
      await switchWallet(deps, caller.actor, { chain, keyRef: key }, change)
      return { chain, key, halted }
    }),
  }
}
