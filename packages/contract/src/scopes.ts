// What an API key may be allowed. A key without a list has all of them.

export const KEY_SCOPES = [
  'read',
  'live',
  'buy',
  'sell',
  'deposit',
  'users',
  'funds',
  'payout',
] as const

/**
 * `read`: every GET, look-ups and preflight. `live`: tokens of sockets. `buy`: buys and cancels. `users`:
 * sub-users, children and trade URLs. `funds`: fund, defund and transfers.
 */
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What a route asks of a key; `none`: what every key may know of itself. */
export type RouteScope = KeyScope | 'none'

/** Of a route of any method but GET, which is always a read. */
export type ScopeOf<Method extends string> = Method extends 'GET' ? 'read' | 'none' : KeyScope

/** Lists that people choose from. */
export const SCOPE_PRESETS = {
  readOnly: ['read', 'live'],
  storefront: ['read', 'live', 'buy', 'sell', 'deposit', 'users'],
  payouts: ['read', 'payout'],
} as const satisfies Readonly<Record<string, readonly KeyScope[]>>
