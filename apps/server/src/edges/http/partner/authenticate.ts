// The key of a request to the partner interface.
import { API_KEY_HEADER, PARTNER_KEY_HEADER, type PartnerAccess } from '@tradepost/contract'
import {
  createKeyAuthenticator,
  type KeyAuthenticator,
  type KeyAuthenticatorDeps,
} from '../shared/key-authenticator.ts'
import type { KeyRecord } from '../shared/ports.ts'

/** `partner` and `any` are open to both kinds of key; they differ in the contract only. */
const OF_PARTNER: ReadonlySet<string> = new Set<PartnerAccess>(['top', 'partner', 'any'])
const OF_CHILD: ReadonlySet<string> = new Set<PartnerAccess>(['partner', 'any'])

const PERMISSIONS: Readonly<Record<KeyRecord['kind'], ReadonlySet<string> | null>> = {
  merchant: null,
  partner: OF_PARTNER,
  child: OF_CHILD,
}

export const createPartnerAuthenticator = (deps: KeyAuthenticatorDeps): KeyAuthenticator =>
  createKeyAuthenticator(deps, {
    header: PARTNER_KEY_HEADER,
    foreignHeader: API_KEY_HEADER,
    permissionsOf: (kind) => PERMISSIONS[kind],
  })
