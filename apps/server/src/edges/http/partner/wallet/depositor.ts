import type { Depositor } from '#deposits'
import type { PartnerCaller } from '../../shared/principal.ts'

/** The account of the key, as the one that a deposit is for. */
export const depositorOf = ({ account }: PartnerCaller): Depositor => ({
  accountId: account.id,
  tenantId: account.partnerId,
  currency: 'USD',
})
