// The partner interface, connected to the parts that it shares with the merchant interface.
import { createBuy, readBought } from '#buying'
import type { Catalog, CatalogueView } from '#catalog'
import { createPartnerAccountFinder } from '#identity'
import type { HeavyReads } from '#infra/heavy-reads'
import type { SecretBox } from '#infra/secrets'
import { readMarketHealth } from '#operations'
import { createAccountOperations } from '../api/partner/account/account.ts'
import { createPartnerAuthenticator } from '../api/partner/authenticate.ts'
import { createPartnerBuyOperations } from '../api/partner/buy/buy.ts'
import { createResolvePartner } from '../api/partner/caller.ts'
import { createChildrenOperations } from '../api/partner/children/children.ts'
import { createHealthOperation } from '../api/partner/health/health.ts'
import { createPartnerMarketOperations } from '../api/partner/market/market-operations.ts'
import type { PartnerOperations } from '../api/partner/operation.ts'
import { createOrderOperations } from '../api/partner/orders/orders.ts'
import { createPartnerInterface } from '../api/partner/partner-interface.ts'
import { createCardOperations } from '../api/partner/wallet/card.ts'
import { createGatewayOperations } from '../api/partner/wallet/gateway.ts'
import { createWalletOperations } from '../api/partner/wallet/wallet.ts'
import { createWithdrawalOperations } from '../api/partner/wallet/withdrawals.ts'
import type { KeyAuthenticatorDeps } from '../api/shared/key-authenticator.ts'
import type { RateLimits } from '../api/shared/rate-limits.ts'
import type { BuyingParts } from './buying-parts.ts'
import { createDepositParts } from './deposit-parts.ts'
import { createWalletWithdrawals } from './payout-parts.ts'
import type { Resources } from './resources.ts'

export interface PartnerParts {
  readonly keys: KeyAuthenticatorDeps
  readonly secrets: SecretBox
  readonly rateLimits: RateLimits
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly heavyReads: HeavyReads
  readonly buying: BuyingParts
  globalDefaultFeeBps(): Promise<number>
}

export function createPartnerApi(
  resources: Resources,
  {
    keys,
    secrets,
    rateLimits,
    catalog,
    view,
    heavyReads,
    buying,
    globalDefaultFeeBps,
  }: PartnerParts,
) {
  const { config, db, clock } = resources
  const { authenticate, confirm, forgetKeys } = createPartnerAuthenticator(keys)
  const { gateway, onramp, cancelDeposit } = createDepositParts(resources, {
    secrets,
    currentRate: buying.currentRate,
  })
  const operations: PartnerOperations = {
    ...createChildrenOperations({
      db,
      clock,
      heavyReads,
      keyEnvironment: config.isDemo ? 'test' : 'live',
    }),
    getMarketHealth: createHealthOperation({
      readHealth: () => readMarketHealth({ db, clock, listMarkets: catalog.listMarkets }),
    }),
    ...createPartnerMarketOperations({ catalog, view, clock, currentRate: buying.currentRate }),
    ...createPartnerBuyOperations({
      buy: createBuy(buying),
      readBought: (tradeId) => readBought(db, tradeId),
      view,
    }),
    ...createOrderOperations({ db, heavyReads }),
    ...createWalletOperations({ db, cancelDeposit }),
    ...createGatewayOperations({ db, gateway }),
    ...createCardOperations({ onramp }),
    ...createWithdrawalOperations({ db, withdrawals: createWalletWithdrawals(resources) }),
    ...createAccountOperations({ db, heavyReads }),
  }
  return {
    forgetKeys,
    api: createPartnerInterface({
      operations: Object.values(operations),
      ...{ authenticate, confirm },
      resolvePartner: createResolvePartner({
        findAccount: createPartnerAccountFinder(db),
        globalDefaultFeeBps,
      }),
      rateLimits,
      clock,
    }),
  }
}
