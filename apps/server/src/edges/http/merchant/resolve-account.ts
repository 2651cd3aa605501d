// The account that a call acts for, put together from identity and pricing.
import type { CallingAccount } from '#identity'
import { effectiveFees } from '#pricing'
import type { Tenant, TradingAccount } from '../shared/principal.ts'

/**
 * The merchant's own account when `reference` is null, else its sub-user with that id or externalId.
 * Null when there is none (deleted ones included).
 */
export type ResolveAccount = (
  merchant: Tenant,
  reference: string | null,
) => Promise<TradingAccount | null>

export interface ResolveAccountDeps {
  /** From `createCallerFinder`. */
  findCaller(query: {
    merchantId: string
    reference: string | null
  }): Promise<CallingAccount | null>
  /** From `createGlobalDefaultReader`. */
  globalDefaultFeeBps(): Promise<number>
}

export const createResolveAccount =
  ({ findCaller, globalDefaultFeeBps }: ResolveAccountDeps): ResolveAccount =>
  async (merchant, reference) => {
    // Both at once: the look-up of this turn's callers leaves before the default is there. No default holds
    // for the merchant itself.
    const [account, defaultBps] = await Promise.all([
      findCaller({ merchantId: merchant.id, reference }),
      reference === null ? 0 : globalDefaultFeeBps(),
    ])
    return account && actingAccount(merchant, account, defaultBps)
  }

function actingAccount(
  merchant: Tenant,
  account: CallingAccount,
  globalDefaultBps: number,
): TradingAccount {
  const { id, role, status, currency, platformId, primaryTradeUrl } = account
  return {
    id,
    tenantId: merchant.id,
    role,
    status,
    currency,
    platformId,
    ...effectiveFees(account, globalDefaultBps),
    primaryTradeUrl,
  }
}
