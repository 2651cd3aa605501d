// Money that waits for an administrator, and the wallets that the service signs from.
import { dashboardRoutes } from '@tradepost/contract'
import { listHeldPayments, readDeposits } from '#deposits'
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

export const createMoneyAdministration = (deps: ActDeps): MoneyOperations => ({
  listHeldPayments: operation(dashboardRoutes.listHeldPayments, async () => {
    const held = await listHeldPayments(deps.db, MOST_LISTED)
    const ids = [...new Set(held.map(({ depositId }) => depositId))]
    const deposits = new Map((await readDeposits(deps.db, ids)).map((one) => [one.id, one]))
    return held.flatMap((payment) => {
      const deposit = deposits.get(payment.depositId)
      if (deposit === undefined) return []
      return { ...heldView(payment), accountId: deposit.accountId, token: deposit.token }
    })
  }),

  decideHeldPayment: operation(
    dashboardRoutes.decideHeldPayment,
    async ({ caller, params, body: { decision, reason } }) => {
      const state = decision === 'release' ? 'released' : 'refused'
      return heldView(await decideHeldPayment(deps, caller.actor, { id: params.id, state, reason }))
    },
  ),

  inspectDeposit: operation(dashboardRoutes.inspectDeposit, async ({ params: { id } }) => {
    const { db } = deps
    const found = await db.snapshot((at) => inspectDeposit(at, id))
    if (found !== null) {
      return adminDepositView(found, await nameOfAccount(db, found.deposit.accountId))
    }
    const custody = await db.snapshot((at) => inspectCustodyDeposit(at, id))
    if (custody === null) return refuse('DEPOSIT_NOT_FOUND')
    return adminCustodyDepositView(custody, await nameOfAccount(db, custody.deposit.merchantId))
  }),

  inspectWithdrawal: operation(dashboardRoutes.inspectWithdrawal, async ({ params: { id } }) => {
    const found = await deps.db.snapshot((at) => inspectWithdrawal(at, id))
    if (found === null) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
    return adminWithdrawalView(found, await nameOfAccount(deps.db, found.withdrawal.ownerId))
  }),

  listWaitingWithdrawals: operation(dashboardRoutes.listWaitingWithdrawals, async () =>
    (await listHeld(deps.db, MOST_LISTED)).map(waitingWithdrawalView),
  ),

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
})
