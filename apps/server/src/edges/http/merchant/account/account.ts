// The reads of the merchant itself: profile, fees, wallets.
import { merchantRoutes } from '@tradepost/contract'
import { getMerchant } from '#identity'
import type { Db } from '#infra/database/db'
import { readWallets } from '#ledger'
import { findOwner } from '#people'
import { effectiveChildFeeBps } from '#pricing'
import { feesView, profileView } from '#wire/merchant/merchant'
import { walletView } from '#wire/merchant/wallet'
import { type MerchantOperations, operation } from '../operation.ts'

export interface AccountDeps {
  readonly db: Db
  globalDefaultFeeBps(): Promise<number>
  readonly fxSpreadBps: number
}

export const createAccountOperations = ({
  db,
  globalDefaultFeeBps,
  fxSpreadBps,
}: AccountDeps): Pick<
  MerchantOperations,
  'getMerchant' | 'getMerchantFees' | 'listMerchantWallets'
> => ({
  getMerchant: operation(merchantRoutes.getMerchant, async ({ caller }) => {
    const { id } = caller.tenant
    const [merchant, wallets, owner] = await Promise.all([
      getMerchant(db, id),
      readWallets(db, [id]),
      findOwner(db, id),
    ])
    return profileView(merchant, wallets, owner)
  }),

  getMerchantFees: operation(merchantRoutes.getMerchantFees, async ({ caller }) => {
    const [merchant, globalDefault] = await Promise.all([
      getMerchant(db, caller.tenant.id),
      globalDefaultFeeBps(),
    ])
    return feesView(merchant, {
      globalDefaultFeeBps: globalDefault,
      effectiveChildFeeBps: effectiveChildFeeBps(merchant.fees, globalDefault),
      fxSpreadBps,
    })
  }),

  listMerchantWallets: operation(merchantRoutes.listMerchantWallets, async ({ caller }) =>
    (await readWallets(db, [caller.tenant.id])).map(walletView),
  ),
})
