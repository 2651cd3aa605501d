// Whether a socket's token still opens its account. It was issued to a key, and may be used as long as the
// account may be, and the key at the address from which the token was asked for.
import type { CallerReference, CallingAccount } from './find-callers.ts'
import type { KeyUse } from './keys.ts'

/** With the key that the token was issued to. */
export interface TokenSubject extends KeyUse {
  readonly accountId: string
  readonly tenantId: string
}

export interface TokenAuthorizerDeps {
  findCaller(reference: CallerReference): Promise<CallingAccount | null>
  isGoodKey(use: KeyUse): Promise<boolean>
}

/** A person of the merchant asked for it: it names the merchant in place of a key. */
const isOfPerson = ({ keyId, tenantId }: Pick<TokenSubject, 'keyId' | 'tenantId'>): boolean =>
  keyId === tenantId

/** The token's account; null when it, its merchant or its key may no longer be used. */
export function createTokenAuthorizer({
  findCaller,
  isGoodKey,
}: TokenAuthorizerDeps): (subject: TokenSubject) => Promise<CallingAccount | null> {
  return async ({ accountId, tenantId: merchantId, keyId, address }) => {
    const [hasGoodKey, account, merchant] = await Promise.all([
      isOfPerson({ keyId, tenantId: merchantId }) || isGoodKey({ keyId, address, accountId }),
      findCaller({ merchantId, reference: accountId === merchantId ? null : accountId }),
      findCaller({ merchantId, reference: null }),
    ])
    if (!hasGoodKey || merchant?.status !== 'active') return null
    // A reference may be an external id as well: it must not lead to another sub-user.
    return account?.id === accountId && account.status === 'active' ? account : null
  }
}
