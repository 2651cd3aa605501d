// Whether a socket's token still opens its account. It was issued to a key, and may be used as long as the
// key and the account may be.
import type { CallerReference, CallingAccount } from './find-callers.ts'

export interface TokenSubject {
  readonly accountId: string
  readonly tenantId: string
  /** The key that the token was issued to. */
  readonly keyId: string
}

export interface TokenAuthorizerDeps {
  findCaller(reference: CallerReference): Promise<CallingAccount | null>
  isGoodKey(keyId: string): Promise<boolean>
}

/** The token's account; null when it, its merchant or its key may no longer be used. */
export function createTokenAuthorizer({
  findCaller,
  isGoodKey,
}: TokenAuthorizerDeps): (subject: TokenSubject) => Promise<CallingAccount | null> {
  return async ({ accountId, tenantId: merchantId, keyId }) => {
    const [hasGoodKey, account, merchant] = await Promise.all([
      isGoodKey(keyId),
      findCaller({ merchantId, reference: accountId === merchantId ? null : accountId }),
      findCaller({ merchantId, reference: null }),
    ])
    if (!hasGoodKey || merchant?.status !== 'active') return null
    // A reference may be an external id as well: it must not lead to another sub-user.
    return account?.id === accountId && account.status === 'active' ? account : null
  }
}
