// Whose fees hold for a buy of a partner or of one of its children.

/** The fees that were agreed on, basis points; null where the next one in line holds. */
export interface AgreedPartnerFees {
  readonly role: 'partner' | 'child'
  /** The account's own service fee. */
  readonly feeBps: number | null
  readonly partner: {
    readonly feeBps: number | null
    readonly buyFeeBps: number | null
  }
}

export interface EffectivePartnerFees {
  /** What the house takes of a buy. */
  readonly houseFeeBps: number
  /** Where that comes from. */
  readonly houseFeeOf: 'account' | 'partner' | 'default'
  /** What the partner takes of a child's buy; nothing of its own. */
  readonly partnerFeeBps: number
}

export function effectivePartnerFees(
  { role, feeBps, partner }: AgreedPartnerFees,
  globalDefaultBps: number,
): EffectivePartnerFees {
  const partnerFeeBps = role === 'child' ? (partner.buyFeeBps ?? 0) : 0
  if (feeBps !== null) return { houseFeeBps: feeBps, houseFeeOf: 'account', partnerFeeBps }
  if (role === 'child' && partner.feeBps !== null) {
    return { houseFeeBps: partner.feeBps, houseFeeOf: 'partner', partnerFeeBps }
  }
  return { houseFeeBps: globalDefaultBps, houseFeeOf: 'default', partnerFeeBps }
}
