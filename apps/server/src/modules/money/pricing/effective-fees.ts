// Whose fee holds for whom.
import { assertDefined } from '#kernel/assert'

/** The fees that accounts have agreed on; null where the next one in line holds. */
export interface AgreedFees {
  readonly role: 'merchant' | 'sub_user'
  /** The account's own service fee. */
  readonly feeBps: number | null
  readonly merchant: {
    readonly buyFeeBps: number
    readonly sellFeeBps: number
    readonly childDefaultFeeBps: number | null
  }
}

export interface EffectiveFees {
  /** What the house takes of a buy. */
  readonly houseFeeBps: number
  /** What the merchant adds to a buy. */
  readonly merchantBuyFeeBps: number
  /** What the merchant takes off a payout. */
  readonly merchantSellFeeBps: number
}

/** A merchant pays the service fee agreed with it, and nothing to itself. */
export const feesOfMerchant = (feeBps: number | null): EffectiveFees => ({
  houseFeeBps: assertDefined(feeBps, 'service fee of a merchant'),
  merchantBuyFeeBps: 0,
  merchantSellFeeBps: 0,
})

/** Those of a merchant, or of its sub-user, whose service fee has two fallbacks. */
export function effectiveFees(agreed: AgreedFees, globalDefaultBps: number): EffectiveFees {
  if (agreed.role === 'merchant') return feesOfMerchant(agreed.feeBps)
  return {
    houseFeeBps: agreed.feeBps ?? effectiveChildFeeBps(agreed.merchant, globalDefaultBps),
    merchantBuyFeeBps: agreed.merchant.buyFeeBps,
    merchantSellFeeBps: agreed.merchant.sellFeeBps,
  }
}

/** The service fee of a sub-user without one of its own. */
export const effectiveChildFeeBps = (
  { childDefaultFeeBps }: { readonly childDefaultFeeBps: number | null },
  globalDefaultBps: number,
): number => childDefaultFeeBps ?? globalDefaultBps
