// The key of a request to the merchant interface.
import { API_KEY_HEADER, type Context } from '@tradepost/contract'
import {
  createKeyAuthenticator,
  type KeyAuthenticator,
  type KeyAuthenticatorDeps,
} from '../shared/key-authenticator.ts'

const PARTNER_KEY_HEADER = 'x-api-key'

/** `key`: what a key may know of itself. */
export type Permission = Context | 'key'

/** A merchant's key; acting for a sub-user it loses what is the merchant's alone. */
const OF_MERCHANT: ReadonlySet<string> = new Set<Permission>(['merchant', 'user', 'key'])
export const OF_SUB_USER: ReadonlySet<string> = new Set<Permission>(['user'])
/** A key of some sub-users opens nothing of the merchant itself. */
export const OF_KEY: ReadonlySet<string> = new Set<Permission>(['key'])

export const createAuthenticator = (deps: KeyAuthenticatorDeps): KeyAuthenticator =>
  createKeyAuthenticator(deps, {
    header: API_KEY_HEADER,
    foreignHeader: PARTNER_KEY_HEADER,
    permissionsOf: (kind) => (kind === 'merchant' ? OF_MERCHANT : null),
  })
