import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import { type Deposit, isPaymentKnown } from './deposit.ts'
import type { DepositContext } from './open-deposit.ts'
import type { PaymentGateway } from './ports.ts'
import { findDeposit, findDepositOf, lockDeposit, moveDeposit } from './store/deposits.ts'

export interface CancelDepositDeps {
  readonly db: Db
  readonly clock: Clock
  readonly gateway: PaymentGateway | null
}

export type CancelDeposit = (
  accountId: string,
  depositId: string,
  context: DepositContext,
) => Promise<Deposit>

/**
 * Cancels a deposit for which no payment was seen. What is paid all the same is credited all the same.
 * Refuses DEPOSIT_NOT_FOUND and DEPOSIT_NOT_CANCELLABLE, which says why.
 */
export const createCancelDeposit =
  ({ db, clock, gateway }: CancelDepositDeps): CancelDeposit =>
  async (accountId, depositId, { record, ...context }) => {
    if ((await findDepositOf(db, accountId, depositId)) === null) return refuse('DEPOSIT_NOT_FOUND')
    await db.transaction(async (tx) => {
      const deposit = await lockDeposit(tx, depositId)
      if (deposit === null) return refuse('DEPOSIT_NOT_FOUND')
      if (deposit.status !== 'initiated') {
        const paymentSeen = isPaymentKnown(deposit)
        return refuse('DEPOSIT_NOT_CANCELLABLE', { status: deposit.status, paymentSeen })
      }
      const at = clock.now()
      await moveDeposit(tx, depositId, { to: 'cancelled' }, at)
      await record?.(tx, depositId, at)
    })
    const cancelled = await findDeposit(db, depositId)
    if (cancelled === null) return refuse('DEPOSIT_NOT_FOUND')
    // Spares the payer a payment that would come late; nothing of ours depends on the answer.
    if (cancelled.method === 'gateway') await gateway?.closeOrder(depositId, context)
    return cancelled
  }
