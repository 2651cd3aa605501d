// Who is asking: what the edge needs of keys and accounts, put together from identity and fees.

import type { CallingAccount, FoundKey } from '#identity'
import { effectiveFees } from '#pricing'
import type { MerchantCaller } from '../shared/operation.ts'
import type { FindKey, ResolveCaller, ResolvedCaller } from '../shared/ports.ts'

export interface CallersDeps {
  /** From `createKeyFinder`. */
  findKey(secret: string): Promise<FoundKey | null>
  /** From `createCallerFinder`. */
  findCaller(question: {
    merchantId: string
    reference: string | null
  }): Promise<CallingAccount | null>
  /** From `createGlobalDefaultReader`. */
  globalDefaultFeeBps(): Promise<number>
}

export function createCallers({ findKey, findCaller, globalDefaultFeeBps }: CallersDeps): {
  readonly findKey: FindKey
  readonly resolveCaller: ResolveCaller
} {
  return {
    findKey,
    resolveCaller: async (merchant, reference) => {
      // Asked for together: the look-up of this turn's callers leaves before the default is there.
      const [account, defaultBps] = await Promise.all([
        findCaller({ merchantId: merchant.id, reference }),
        globalDefaultFeeBps(),
      ])
      return account && resolved(merchant, account, defaultBps)
    },
  }
}

function resolved(
  merchant: MerchantCaller,
  account: CallingAccount,
  globalDefaultBps: number,
): ResolvedCaller {
  const { id, role, status, currency, platformId, primaryTradeUrl } = account
  return {
    subUser: role === 'sub_user' ? { id, status } : null,
    account: {
      id,
      merchantId: merchant.id,
      role,
      currency,
      platformId,
      ...effectiveFees(account, globalDefaultBps),
      primaryTradeUrl,
    },
  }
}
