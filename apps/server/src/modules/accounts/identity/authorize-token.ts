// Whether a socket's token still opens its account. It may be used as long as the account may be, and as long
// as what it was issued to: a key at the address from which it was asked for, or a session of a person.
import type { CallerReference, CallingAccount } from './find-callers.ts'
import type { KeyUse } from './keys.ts'

/** With the key that the token was issued to. */
export interface TokenSubject extends KeyUse {
  readonly accountId: string
  readonly tenantId: string
  /** Of the dashboard, which asked for it in place of a key; null: a key did. */
  readonly session: TokenSession | null
}

/** Of a person who works in the dashboard. */
export interface TokenSession {
  readonly sessionId: string
  readonly personId: string
}

export interface TokenAuthorizerDeps {
  findCaller(reference: CallerReference): Promise<CallingAccount | null>
  isGoodKey(use: KeyUse): Promise<boolean>
  /** Whether it is live, and its person may read the account. */
  isGoodSession(session: TokenSession & { readonly accountId: string }): Promise<boolean>
}

/** The token's account; null when it, its merchant, or its key or session may no longer be used. */
export function createTokenAuthorizer({
  findCaller,
  isGoodKey,
  isGoodSession,
}: TokenAuthorizerDeps): (subject: TokenSubject) => Promise<CallingAccount | null> {
  return async ({ accountId, tenantId: merchantId, keyId, address, session }) => {
    const [isGood, account, merchant] = await Promise.all([
      session === null
        ? isGoodKey({ keyId, address, accountId })
        : isGoodSession({ ...session, accountId: merchantId }),
      findCaller({ merchantId, reference: accountId === merchantId ? null : accountId }),
      findCaller({ merchantId, reference: null }),
    ])
    if (!isGood || merchant?.status !== 'active') return null
    // A reference may be an external id as well: it must not lead to another sub-user.
    return account?.id === accountId && account.status === 'active' ? account : null
  }
}
