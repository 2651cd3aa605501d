// GET /v1/user/wallet, and the cancel of a deposit.
import { partnerRoutes } from '@tradepost/contract'
import { type CancelDeposit, pageDeposits } from '#deposits'
import type { Db } from '#infra/database/db'
import { readBalance } from '#ledger'
import { pageWithdrawals } from '#payouts'
import { moneyNumber } from '#wire/money'
import { walletDepositView } from '#wire/partner/wallet'
import { walletWithdrawalView } from '#wire/partner/withdrawal'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export interface WalletDeps {
  readonly db: Db
  readonly cancelDeposit: CancelDeposit
}

export const createWalletOperations = ({
  db,
  cancelDeposit,
}: WalletDeps): Pick<PartnerOperations, 'getWallet' | 'cancelWalletDeposit'> => ({
  getWallet: operation(partnerRoutes.getWallet, async ({ caller: { account }, query }) => {
    const { page, limit, status = null } = query
    const [balance, deposits, withdrawals] = await Promise.all([
      readBalance(db, account.id),
      pageDeposits(db, account.id, { page, limit, status }),
      pageWithdrawals(db, account.id, { page, limit, stage: status }),
    ])
    return {
      ...{ balance: moneyNumber(balance), currency: 'USD' as const, page, limit },
      total: deposits.total,
      deposits: deposits.deposits.map(walletDepositView),
      withdrawalsTotal: withdrawals.total,
      withdrawals: withdrawals.withdrawals.map(walletWithdrawalView),
      message: DONE,
    }
  }),

  cancelWalletDeposit: operation(
    partnerRoutes.cancelWalletDeposit,
    async ({ caller: { account, requestId }, params }) => {
      const { id, status } = await cancelDeposit(account.id, params.depositId, { requestId })
      return { depositId: id, status, message: DONE }
    },
  ),
})
