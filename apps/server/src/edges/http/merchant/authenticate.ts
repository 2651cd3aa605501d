// The key of a request to the merchant interface.
import { API_KEY_HEADER, type Context } from '@tradepost/contract'
import {
  createKeyAuthenticator,
  type KeyAuthenticator,
  type KeyAuthenticatorDeps,
} from '../shared/key-authenticator.ts'

const PARTNER_KEY_HEADER = 'x-api-key'

/** A merchant's key; acting for a sub-user it loses what is the merchant's alone. */
const OF_MERCHANT: ReadonlySet<string> = new Set<Context>(['merchant', 'user'])
export const OF_SUB_USER: ReadonlySet<string> = new Set<Context>(['user'])

export const createAuthenticator = (deps: KeyAuthenticatorDeps): KeyAuthenticator =>
  createKeyAuthenticator(deps, {
    header: API_KEY_HEADER,
    foreignHeader: PARTNER_KEY_HEADER,
    permissionsOf: (kind) => (kind === 'merchant' ? OF_MERCHANT : null),
  })
