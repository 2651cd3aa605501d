// Who calls the partner interface: the account behind the key, and what a buy costs it.
import type { Buyer } from '#buying'
import type { PartnerAccount } from '#identity'
import { effectivePartnerFees } from '#pricing'
import type { PricedAccount } from '../shared/market/price-tags.ts'
import type { ActingPartnerAccount, PartnerCaller } from '../shared/principal.ts'

export interface ResolvePartnerDeps {
  /** From `createPartnerAccountFinder`. */
  findAccount(accountId: string): Promise<PartnerAccount | null>
  /** From `createGlobalDefaultReader`. */
  globalDefaultFeeBps(): Promise<number>
}

/** The account that a key opens; null when it was deleted since the key was looked up. */
export type ResolvePartner = (accountId: string) => Promise<ActingPartnerAccount | null>

export const createResolvePartner =
  ({ findAccount, globalDefaultFeeBps }: ResolvePartnerDeps): ResolvePartner =>
  async (accountId) => {
    // Both at once: the look-up of this turn's callers leaves before the default is there.
    const [account, defaultBps] = await Promise.all([findAccount(accountId), globalDefaultFeeBps()])
    if (account === null) return null
    return {
      id: account.id,
      partnerId: account.partner.id,
      fees: effectivePartnerFees(account, defaultBps),
    }
  }

export const pricedAccount = ({ account: { fees } }: PartnerCaller): PricedAccount => ({
  currency: 'USD',
  houseFeeBps: fees.houseFeeBps,
  merchantBuyFeeBps: fees.partnerFeeBps,
})

/** Accounts of this interface have no stored trade URLs: each buy names one. */
export const buyerOf = ({ account, keyId }: PartnerCaller): Buyer => ({
  accountId: account.id,
  tenantId: account.partnerId,
  currency: 'USD',
  merchantCurrency: 'USD',
  houseFeeBps: account.fees.houseFeeBps,
  merchantFeeBps: account.fees.partnerFeeBps,
  keyId,
  primaryTradeUrl: null,
})
