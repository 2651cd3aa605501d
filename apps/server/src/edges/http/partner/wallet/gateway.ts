// Deposits through the payment gateway: chains, rates, and the deposit itself.
import { partnerRoutes } from '@tradepost/contract'
import { findPrepayId, type GatewayDeposits } from '#deposits'
import type { Db } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { cryptoDepositView, depositRatesView } from '#wire/partner/wallet'
import { centsOf } from '../amount.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'
import { depositorOf } from './depositor.ts'

export interface GatewayDeps {
  readonly db: Db
  readonly gateway: GatewayDeposits
}

export const createGatewayOperations = ({
  db,
  gateway,
}: GatewayDeps): Pick<
  PartnerOperations,
  'listCryptoChains' | 'createCryptoDeposit' | 'listDepositRates'
> => ({
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

  listDepositRates: operation(partnerRoutes.listDepositRates, async ({ caller: { requestId } }) =>
    depositRatesView(await gateway.listRates({ requestId })),
  ),

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
