// The partner interface, connected to the parts that it shares with the merchant interface.
import { createBuy, readBought } from '#buying'
import type { Catalog, CatalogueView, ListingsView } from '#catalog'
import { createPartnerAccountFinder } from '#identity'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import type { SecretBox } from '#infra/process/secrets'
import { readMarketHealth } from '#operations'
import { createAccountOperations } from '../../edges/http/partner/account/account.ts'
import { createPartnerAuthenticator } from '../../edges/http/partner/authenticate.ts'
import { createPartnerBuyOperations } from '../../edges/http/partner/buy/buy.ts'
import { createResolvePartner } from '../../edges/http/partner/caller.ts'
import { createChildrenOperations } from '../../edges/http/partner/children/children.ts'
import { createHealthOperation } from '../../edges/http/partner/health/health.ts'
import { createPartnerMarketOperations } from '../../edges/http/partner/market/market-operations.ts'
import type { PartnerOperations } from '../../edges/http/partner/operation.ts'
import { createOrderOperations } from '../../edges/http/partner/orders/orders.ts'
import { createPartnerInterface } from '../../edges/http/partner/partner-interface.ts'
import { createCardOperations } from '../../edges/http/partner/wallet/card.ts'
import { createGatewayOperations } from '../../edges/http/partner/wallet/gateway.ts'
import { createWalletOperations } from '../../edges/http/partner/wallet/wallet.ts'
import { createWithdrawalOperations } from '../../edges/http/partner/wallet/withdrawals.ts'
import type { KeyAuthenticatorDeps } from '../../edges/http/shared/key-authenticator.ts'
import type { RateLimits } from '../../edges/http/shared/rate-limits.ts'
import type { Resources } from '../resources.ts'
import type { BuyingParts } from './buying.ts'
import { createDepositParts } from './deposits.ts'
import { createWalletWithdrawals } from './payouts.ts'

export interface PartnerParts {
  readonly keys: KeyAuthenticatorDeps
  readonly secrets: SecretBox
  readonly rateLimits: RateLimits
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly listings: ListingsView
  readonly heavyReads: HeavyReads
  readonly buying: BuyingParts
  readonly workers: Pick<WorkerBeats, 'areSilent'>
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
    listings,
    heavyReads,
    buying,
    workers,
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
    ...createPartnerMarketOperations({
      ...{ catalog, view, listings, clock },
      currentRate: buying.currentRate,
    }),
    ...createPartnerBuyOperations({
      buy: createBuy(buying),
      readBought: (tradeId) => readBought(db, tradeId),
      view,
    }),
    ...createOrderOperations({ db, heavyReads }),
    ...createWalletOperations({ db, cancelDeposit }),
    ...createGatewayOperations({ db, gateway }),
    ...createCardOperations({ onramp }),
    ...createWithdrawalOperations({ db, withdrawals: createWalletWithdrawals(resources, workers) }),
    ...createAccountOperations({ db, heavyReads, clock }),
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
