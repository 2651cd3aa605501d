// All limits of requests, in one place: budgets by tier, and allowances by address. What a route costs
// and its own cap are said by the route.

/** Every limit counts over this long, and the window slides. */
export const LIMIT_WINDOW_SECONDS = 60

/** Tokens of the budget that opening a socket takes. */
export const SOCKET_COST = 1

export const TIERS = ['standard', 'premium', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

/** Tokens of a merchant, its sub-users included, in any sixty seconds. */
export const TIER_BUDGETS: Readonly<Record<Tier, number>> = {
  standard: 60,
  premium: 180,
  enterprise: 360,
}

export interface AddressLimit {
  /** Its name in headers and in the `meta` of a refusal. */
  readonly policy: string
  /** Calls in any sixty seconds from one address. */
  readonly limit: number
  readonly about: string
}

/** For callers that are known only by their address. */
export const ADDRESS_LIMITS = {
  failedKeys: {
    policy: 'failed-keys',
    limit: 100,
    about:
      'Requests with a key or a session that does not exist. Then the address is refused altogether.',
  },
  inbound: { policy: 'inbound', limit: 60, about: 'Notices of payment providers and suppliers.' },
  status: { policy: 'status', limit: 60, about: 'The status of the service, read without a key.' },
  pictures: {
    policy: 'pictures',
    limit: 2400,
    about: 'Pictures of items: four pages of 100, each of which asks six times.',
  },
  register: { policy: 'register', limit: 5, about: 'Creating an account.' },
  login: { policy: 'login', limit: 10, about: 'Logging in.' },
  passwordReset: { policy: 'password-reset', limit: 5, about: 'Asking for a new password.' },
  twoFactor: { policy: 'two-factor', limit: 10, about: 'Answering a two-factor challenge.' },
  passkey: { policy: 'passkey', limit: 20, about: 'Using a passkey: two calls each.' },
  chatOauth: { policy: 'chat-oauth', limit: 10, about: 'Beginning to link a chat account.' },
} as const satisfies Readonly<Record<string, AddressLimit>>
