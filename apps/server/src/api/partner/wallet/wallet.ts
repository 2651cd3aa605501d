// GET /v1/user/wallet, deposits through the gateway, and their cancel.
import { partnerRoutes } from '@tradepost/contract'
import {
  type CancelDeposit,
  type Depositor,
  findPrepayId,
  type GatewayDeposits,
  pageDeposits,
} from '#deposits'
import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { readBalance } from '#ledger'
import type { WalletWithdrawals } from '#payouts'
import { pageWithdrawals } from '#payouts'
import { moneyNumber } from '#wire/money'
import { cryptoDepositView, walletDepositView, walletWithdrawalView } from '#wire/partner/wallet'
import { centsOf } from '../amount.ts'
import type { PartnerCaller } from '../caller.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export interface WalletDeps {
  readonly db: Db
  readonly gateway: GatewayDeposits
  readonly cancelDeposit: CancelDeposit
  readonly withdrawals: WalletWithdrawals
}

const depositorOf = ({ account }: PartnerCaller): Depositor => ({
  accountId: account.id,
  tenantId: account.partnerId,
  currency: 'USD',
})

export const createWalletOperations = ({
  db,
  gateway,
  cancelDeposit,
}: WalletDeps): Pick<
  PartnerOperations,
  'getWallet' | 'cancelWalletDeposit' | 'listCryptoChains' | 'createCryptoDeposit'
> => ({
  getWallet: operation(partnerRoutes.getWallet, async ({ caller: { account }, query }) => {
    const { page, limit, status = null } = query
    const [balance, { total, deposits }, { total: withdrawalsTotal, withdrawals }] =
      await Promise.all([
        readBalance(db, account.id),
        pageDeposits(db, account.id, { page, limit, status }),
        pageWithdrawals(db, account.id, { page, limit, stage: status }),
      ])
    return {
      ...{ balance: moneyNumber(balance), currency: 'USD' as const, page, limit, total },
      deposits: deposits.map(walletDepositView),
      withdrawalsTotal,
      withdrawals: withdrawals.map(walletWithdrawalView),
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

  listCryptoChains: operation(partnerRoutes.listCryptoChains, async ({ caller, query }) => {
    const { requestId } = caller
    const offered = await gateway.listCurrencies({ requestId })
    const chains = offered.find(({ currency }) => currency === query.currency)?.chains ?? []
    return chains.map(({ chain, explorerUrl, displayName }) => ({
      name: chain,
      explorer_url: explorerUrl,
      display_name: displayName,
    }))
  }),

  createCryptoDeposit: operation(
    partnerRoutes.createCryptoDeposit,
    async ({ caller, body: { token, amount, network } }) => {
      const { requestId } = caller
      const depositor = depositorOf(caller)
      const usd = centsOf(amount, '/amount')
      const { quoteToken } = await gateway.quote(depositor, { usd, currency: token }, { requestId })
      const opened = await gateway.create(depositor, { quoteToken, chain: network }, { requestId })
      const prepayId = await findPrepayId(db, opened.deposit.id)
      return cryptoDepositView(opened, {
        prepayId: assertDefined(prepayId, 'the gateway’s id of a placed order'),
        message: DONE,
      })
    },
  ),
})
