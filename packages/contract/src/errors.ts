// THE catalogue of errors: every key that a caller may ever see. The error page, the OpenAPI document
// and the SDK's types follow from it, and the server's record from key to status is this one.

/** What sending the same request again can bring. */
export type Retry =
  /** The same answer. */
  | 'never'
  /** Perhaps another answer, after a while. */
  | 'later'
  /** Another answer, once what the request or the account lacks is fixed. */
  | 'after-fix'

export interface ErrorEntry {
  readonly code: number
  readonly status: number
  /** Statuses that the same key has for narrower causes. */
  readonly alsoStatuses?: readonly number[]
  /** Those of them that are about a body: a GET has none. */
  readonly bodyStatuses?: readonly number[]
  /** `retry-after` of an answer that knows no better; every 503 has one. */
  readonly retryAfterSeconds?: number
  /** For people, and free to change. */
  readonly message: string
  /** In its place when `meta.reason` is the name. */
  readonly messages?: Readonly<Record<string, string>>
  readonly retry: Retry
  readonly meaning: string
  readonly action: string
  /** The fields of `meta`, by name. */
  readonly meta?: Readonly<Record<string, string>>
  /** A `meta` as it may come with `message`. */
  readonly metaExample?: Readonly<Record<string, unknown>>
}

const INDEX = 'of a batch of withdrawals: the place of the one that is refused, from 0'

export const ERRORS = {
  INTERNAL_ERROR: {
    code: 1001,
    status: 500,
    message: 'Something went wrong on our side.',
    retry: 'later',
    meaning: 'The service failed unexpectedly. The request may have taken effect or not.',
    action:
      'Send it again with the same idempotency reference, with growing pauses. If it persists, report the requestId.',
  },
  VALIDATION_FAILED: {
    code: 1002,
    status: 422,
    message: 'The request does not have the documented shape.',
    retry: 'after-fix',
    meaning:
      'A field of the body, query, path or a header is missing, unknown, of the wrong type or out of bounds.',
    action: 'Read `meta.errors`: each entry points at one field and names the rule that it broke.',
    meta: { errors: 'at most 20 entries of `{in, pointer, rule, message}`', index: INDEX },
    metaExample: {
      errors: [
        {
          in: 'body',
          pointer: '/items/0/maxPrice',
          rule: 'pattern',
          message: 'must be a decimal amount such as 5.50',
        },
      ],
    },
  },
  NOT_FOUND: {
    code: 1003,
    status: 404,
    message: 'There is nothing at this address.',
    retry: 'never',
    meaning: 'No route has this method and path, or the resource does not exist for this caller.',
    action: 'Compare method and path with the reference.',
  },
  RATE_LIMITED: {
    code: 1004,
    status: 429,
    message: 'Too many requests.',
    retry: 'later',
    meaning:
      'The budget of the merchant, the cap of the route or the allowance of the address is used up.',
    action: 'Wait as many seconds as the `retry-after` header says, then send it again.',
    meta: {
      scope: '`budget`, `route` or `ip`',
      policy: 'the name of the limit',
      limit: 'how much it allows',
      windowSeconds: 'in how long',
      retryAfterSeconds: 'how long to wait',
    },
    metaExample: {
      scope: 'route',
      policy: 'market-buy',
      limit: 100,
      windowSeconds: 60,
      retryAfterSeconds: 12,
    },
  },
  SERVICE_DISABLED: {
    code: 1005,
    status: 503,
    retryAfterSeconds: 30,
    message: 'Trading is paused.',
    messages: {
      switched_off: 'This function is not set up at this service.',
      mail_off: 'This needs a mail, and mail is not set up at this service.',
      exchange_rate: 'No amounts are converted now: there is no recent exchange rate.',
      exchange_exposure: 'No amounts are converted now: the limit of conversions is reached.',
      token_value:
        'This token has no value in dollars now: its price or its network fee is not known.',
      workers_silent: 'Withdrawals are not accepted now: what would send them is not running.',
    },
    retry: 'later',
    meaning:
      'An administrator has paused trading, the part of the service that would carry it out is not running (of withdrawals `meta.reason` is `workers_silent`), the service was too busy for this request (its message says so), it converts no money at the moment (`meta.reason` is `exchange_rate` or `exchange_exposure`), it knows no current price or network fee of the token (`token_value`), or the operator of the service has not set up what this route needs (`switched_off`; `mail_off` when that is mail). Nothing was changed.',
    action:
      'Wait as long as `retry-after` says, and send the request again with the same idempotency reference. While trading is paused, reads go on working. When `meta.reason` is `switched_off` or `mail_off`, waiting does not help: ask the operator of the service.',
    meta: { reason: 'why, where it is not the pause of trading', index: INDEX },
  },
  IDEMPOTENCY_CONFLICT: {
    code: 1006,
    status: 409,
    message: 'This idempotency reference belongs to another request.',
    retry: 'after-fix',
    meaning:
      'The `Idempotency-Key` or `externalId` was used before with a different body, sub-user or amount.',
    action: 'Send the first request unchanged to see its answer, or choose a new reference.',
    meta: { index: INDEX },
  },
  BAD_REQUEST: {
    code: 1007,
    status: 400,
    alsoStatuses: [408, 413, 415, 431],
    bodyStatuses: [413, 415],
    message: 'The request cannot be read.',
    retry: 'after-fix',
    meaning:
      'The body is not JSON or a required `Idempotency-Key` is missing (400), the body is larger than 256 KiB (413), its content type is not `application/json` (415), its headers are larger than 16 KiB (431), or it did not arrive in time (408).',
    action: 'Fix the request as the status says.',
  },
  UNAUTHENTICATED: {
    code: 1100,
    status: 401,
    message: 'A session is needed.',
    retry: 'after-fix',
    meaning: 'A dashboard operation was called without a session.',
    action: 'Log in to the dashboard.',
  },
  INVALID_CREDENTIALS: {
    code: 1101,
    status: 401,
    message: 'The e-mail address or the password is wrong.',
    retry: 'after-fix',
    meaning:
      'No account has this address and password. The answer does not say which of the two is wrong.',
    action: 'Type both again, or have a link mailed that sets a new password.',
  },
  SESSION_EXPIRED: {
    code: 1102,
    status: 401,
    message: 'The session has ended.',
    retry: 'after-fix',
    meaning: 'The session was not used for too long, is too old, or was ended from another place.',
    action: 'Log in again.',
  },
  CSRF_TOKEN_INVALID: {
    code: 1103,
    status: 403,
    message: 'The request does not come from a page of this session.',
    retry: 'after-fix',
    meaning:
      'The header `x-csrf-token` is missing or of another session, or the `Origin` is not ours.',
    action: 'Read the token from `GET /dashboard/api/session` and send it with every change.',
  },
  MISSING_API_KEY: {
    code: 1104,
    status: 401,
    message: 'The header with the API key is missing.',
    retry: 'after-fix',
    meaning: 'No API key was sent in the header that this interface reads.',
    action:
      'Send a merchant’s key in the `api-key` header, a key of the partner interface in `X-API-Key`.',
  },
  INVALID_API_KEY: {
    code: 1105,
    status: 401,
    message: 'Invalid API key.',
    retry: 'after-fix',
    meaning: 'This interface has no such key, or two key headers were sent at once.',
    action: 'Check that the key is complete, of this environment and of this interface.',
  },
  API_KEY_REVOKED: {
    code: 1106,
    status: 401,
    message: 'The API key was revoked.',
    retry: 'after-fix',
    meaning: 'The key was revoked, or it was rotated and its overlap has ended.',
    action: 'Use the new key, or create one in the dashboard.',
  },
  INVALID_SIGNATURE: {
    code: 1107,
    status: 401,
    message: 'The signature does not match.',
    retry: 'after-fix',
    meaning: 'A signed notice is not signed with the expected secret, or its timestamp is stale.',
    action: 'Sign the raw bytes of the body with the current secret and send a fresh timestamp.',
  },
  TWO_FACTOR_REQUIRED: {
    code: 1200,
    status: 401,
    message: 'A second factor is needed to log in.',
    retry: 'after-fix',
    meaning: 'The password is right, and this login has a second factor.',
    action: 'Answer the challenge at `POST /dashboard/api/auth/two-factor`.',
    meta: { challengeId: 'what the answer names', methods: 'the factors that it takes' },
    metaExample: {
      challengeId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
      methods: ['totp', 'recovery'],
    },
  },
  TWO_FACTOR_INVALID: {
    code: 1201,
    status: 401,
    message: 'The code is wrong.',
    retry: 'after-fix',
    meaning: 'The code is not the one that was sent or shown, or it was used before.',
    action: 'Type the current code. A challenge takes five tries.',
  },
  TWO_FACTOR_EXPIRED: {
    code: 1202,
    status: 401,
    message: 'The challenge is over.',
    retry: 'after-fix',
    meaning: 'The challenge is unknown, answered, older than ten minutes or out of tries.',
    action: 'Log in again, or repeat the act that asked for the factor.',
  },
  TWO_FACTOR_ALREADY_ENABLED: {
    code: 1203,
    status: 409,
    message: 'The second factor is on already.',
    retry: 'never',
    meaning: 'Codes of an authenticator app or by mail are on for this login.',
    action: 'Turn them off first to set up another way.',
  },
  TWO_FACTOR_NOT_ENABLED: {
    code: 1204,
    status: 409,
    message: 'There is no second factor.',
    retry: 'never',
    meaning: 'The second factor of this login is off.',
    action: 'Nothing.',
  },
  TWO_FACTOR_FRESH_REQUIRED: {
    code: 1205,
    status: 403,
    message: 'This needs a second factor that was given in the last ten minutes.',
    retry: 'after-fix',
    meaning: 'Sensitive acts ask again for the second factor.',
    action:
      'Answer the challenge at `POST /dashboard/api/auth/two-factor`, then repeat the request.',
    meta: { challengeId: 'what the answer names', methods: 'the factors that it takes' },
    metaExample: { challengeId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', methods: ['email'] },
  },
  TWO_FACTOR_SETUP_REQUIRED: {
    code: 1206,
    status: 403,
    message: 'Set up a second factor first.',
    retry: 'after-fix',
    meaning:
      'Pages of administrators are closed to a login without an authenticator app or a passkey.',
    action:
      'Set one up in the settings of your login: the session that sets it up is admitted at once, one that began without it after a log-in with it.',
  },
  FORBIDDEN: {
    code: 1300,
    status: 403,
    message: 'This credential may not do this.',
    retry: 'never',
    meaning:
      'The operation belongs to the dashboard, to another kind of key or to another role, the key lacks the scope of the route or has a spend limit and would raise a market order of another key, or `On-Behalf-Of` was sent to a route that runs as the merchant.',
    action:
      'Omit `On-Behalf-Of` on merchant routes; do the rest in the dashboard, with a role that is allowed to. With `meta.requiredScope`, use a key that has it.',
    meta: { requiredScope: 'the scope that the key lacks; absent for other causes' },
    metaExample: { requiredScope: 'buy' },
  },
  ACCOUNT_SUSPENDED: {
    code: 1301,
    status: 403,
    message: 'The account is suspended.',
    retry: 'after-fix',
    meaning:
      'The merchant is suspended, or the sub-user is and the operation would buy, sell, deposit or open a socket.',
    action: 'Reactivate the sub-user. If the merchant is suspended, contact support.',
  },
  EMAIL_NOT_VERIFIED: {
    code: 1302,
    status: 403,
    message: 'The e-mail address is not confirmed.',
    retry: 'after-fix',
    meaning: 'The link in the registration mail has not been used yet.',
    action: 'Open the link in that mail. A password reset confirms the address as well.',
  },
  TOKEN_INVALID: {
    code: 1303,
    status: 422,
    message: 'The link is not valid.',
    retry: 'never',
    meaning:
      'The token of a mail, or the answer of a chat platform, is unknown, used, expired or of another session.',
    action: 'Have a new mail sent, or start linking again.',
  },
  PASSWORD_TOO_WEAK: {
    code: 1304,
    status: 422,
    message: 'The password is too weak.',
    retry: 'after-fix',
    meaning:
      'It is shorter than ten characters, has fewer than four different ones, is one of the most common passwords, or is the e-mail address itself.',
    action: 'Choose a longer one; several words make a good one.',
  },
  ACCOUNT_HAS_FUNDS: {
    code: 1306,
    status: 409,
    message: 'The account still holds money or has trades under way.',
    retry: 'after-fix',
    meaning:
      'Only an account without balance, debt, trades, deposits and withdrawals can be deleted.',
    action: 'Pay the balance out and wait for what is under way.',
  },
  API_KEY_IP_DENIED: {
    code: 1305,
    status: 403,
    message: 'The API key may not be used from this address.',
    retry: 'after-fix',
    meaning: 'The key is restricted to source addresses, and the request came from another one.',
    action: 'Call from an allowed address, or change the allowlist in the dashboard.',
  },
  CHAT_UNAVAILABLE: {
    code: 1308,
    status: 503,
    retryAfterSeconds: 10,
    message: 'The chat platform does not answer.',
    retry: 'later',
    meaning:
      'The chat platform is unavailable, or its answer could not be read. Nothing was linked.',
    action: 'Start linking again in a minute.',
  },
  CHAT_ACCOUNT_TAKEN: {
    code: 1309,
    status: 409,
    message: 'The chat account is linked to another login.',
    retry: 'after-fix',
    meaning: 'An account at the chat platform belongs to one login at a time.',
    action: 'Unlink it there first, or link another account.',
  },
  USER_NOT_FOUND: {
    code: 1307,
    status: 404,
    message: 'There is no such user.',
    retry: 'after-fix',
    meaning:
      'Neither the UUID nor the externalId names a sub-user of this merchant; for a partner, neither the email nor the id of a key names a child of it.',
    action: 'Check the reference, or create the sub-user or child.',
    meta: { index: INDEX },
  },
  TRADEURL_INVALID_TOKEN: {
    code: 1413,
    status: 422,
    message: 'The platform does not accept this trade URL.',
    retry: 'after-fix',
    meaning: 'The token is wrong or expired, or the profile or inventory is private.',
    action: 'Ask the user for the current trade URL and to make the inventory public.',
  },
  TRADEURL_NOT_FOUND: {
    code: 1414,
    status: 404,
    message: 'The account has no such trade URL.',
    retry: 'never',
    meaning: 'No stored trade URL of this account has this id.',
    action: 'List the trade URLs and use an id from there.',
  },
  TRADEURL_PLATFORM_MISMATCH: {
    code: 1415,
    status: 422,
    message: 'The trade URL belongs to another platform account.',
    retry: 'after-fix',
    meaning: 'The operation needs a trade URL of the platform account that is linked to the user.',
    action: 'Send a trade URL of the linked account.',
  },
  PLATFORM_ACCOUNT_NOT_LINKED: {
    code: 1416,
    status: 422,
    message: 'The user has no linked platform account.',
    retry: 'after-fix',
    meaning:
      'The operation needs a platform account, and the first trade URL has not been stored yet.',
    action: 'Store a trade URL for the user first.',
  },
  INVENTORY_PRIVATE: {
    code: 1417,
    status: 422,
    message: 'The inventory is private.',
    retry: 'after-fix',
    meaning: 'The platform does not show the inventory of the linked account.',
    action: 'Ask the user to make the inventory public.',
  },
  PLATFORM_UNAVAILABLE: {
    code: 1418,
    status: 503,
    retryAfterSeconds: 10,
    message: 'The game platform does not answer.',
    retry: 'later',
    meaning:
      'The trade URL or inventory could not be checked, because the platform is unavailable or you have asked for more checks than your share of those it allows.',
    action:
      'Send the request again after as many seconds as `retry-after` says. Nothing was changed.',
  },
  INSUFFICIENT_BALANCE: {
    code: 1500,
    status: 402,
    message: 'The wallet does not cover this.',
    retry: 'after-fix',
    meaning: 'The wallet that pays holds less than the operation needs. Nothing was taken.',
    action: 'Fund the wallet, or lower the amount.',
    meta: {
      requiredCents: 'what the operation needs',
      availableCents: 'what the wallet holds',
    },
    metaExample: { requiredCents: 1299, availableCents: 750 },
  },
  SPENDING_LIMIT_REACHED: {
    code: 1501,
    status: 403,
    message: 'A spending limit is reached.',
    retry: 'after-fix',
    meaning:
      'The operation would exceed the spend limit of the API key, or a limit that the merchant has set for the sub-user. No money was moved.',
    action:
      'Wait until `meta.resetsAt`, or raise the limit: of a key in the dashboard, of a sub-user there or with `PATCH /merchant/users/{id}`.',
    meta: {
      limit: '`key`, or of a sub-user `perTrade`, `perDay` or `openTrades`',
      limitCents: 'what may be spent: US cents for a key, cents of the wallet’s currency otherwise',
      spentCents: 'what has been spent in this day or month (`key`, `perDay`)',
      resetsAt: 'when the next day or month begins (`key`, `perDay`)',
      requiredCents: 'what the trade costs (`perTrade`)',
      limitTrades: 'how many buys may be open (`openTrades`)',
      openTrades: 'how many are open (`openTrades`)',
    },
    metaExample: {
      limit: 'key',
      limitCents: 100_000,
      spentCents: 99_120,
      resetsAt: '2026-11-22T00:00:00.000Z',
    },
  },
  DEPOSIT_NOT_FOUND: {
    code: 1600,
    status: 404,
    message: 'The account has no such deposit.',
    retry: 'never',
    meaning: 'No deposit of this account has this id.',
    action: 'List the deposits and use an id from there.',
  },
  DEPOSIT_AMOUNT_OUT_OF_RANGE: {
    code: 1601,
    status: 422,
    message: 'The amount is too small or too large for this way of paying.',
    retry: 'after-fix',
    meaning: 'Each way of paying has a minimum and a maximum amount.',
    action: 'Choose an amount within the documented bounds.',
    meta: {
      minUsdCents: 'the minimum, in US cents',
      maxUsdCents: 'the maximum, in US cents',
      depositId: 'the deposit that was begun and has failed, when its provider refused the amount',
    },
    metaExample: { minUsdCents: 500, maxUsdCents: 2_500_000 },
  },
  QUOTE_INVALID: {
    code: 1602,
    status: 422,
    message: 'The quote token is not valid.',
    retry: 'after-fix',
    meaning: 'The token was not issued for this account and way of paying, or it was used already.',
    action:
      'Ask for a new quote. When `meta.depositId` is there, that deposit used the quote: read it.',
    meta: { depositId: 'the deposit that used the quote, when lists have it' },
    metaExample: { depositId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d' },
  },
  QUOTE_EXPIRED: {
    code: 1603,
    status: 409,
    message: 'The quote has expired.',
    retry: 'after-fix',
    meaning: 'A quote holds for a few minutes only.',
    action: 'Ask for a new quote and use it at once.',
  },
  DEPOSIT_NOT_CANCELLABLE: {
    code: 1604,
    status: 409,
    message: 'The deposit can no longer be cancelled.',
    retry: 'never',
    meaning: 'Only a deposit for which no payment was seen can be cancelled.',
    action: 'Read the deposit; its status says what happened.',
    meta: {
      status: 'the status of the deposit',
      paymentSeen: 'true when a payment for it is known, though only of a part',
    },
    metaExample: { status: 'pending', paymentSeen: true },
  },
  DEPOSIT_CHAIN_UNSUPPORTED: {
    code: 1605,
    status: 422,
    message: 'This currency cannot be paid on this chain.',
    retry: 'after-fix',
    meaning: 'The quoted currency is not accepted on the requested chain.',
    action:
      'Choose one of `meta.chains`, or read the supported chains of the currency. Chains have the names of their provider there.',
    meta: {
      chains:
        'the chains that can be chosen now, empty when the currency is not taken at all; absent for a card whose chain cannot be chosen or is not known',
      depositId: 'the deposit that was begun and has failed, when one was',
    },
    metaExample: { chains: ['ETH', 'BASEEVM'] },
  },
  GATEWAY_UNAVAILABLE: {
    code: 1606,
    status: 503,
    retryAfterSeconds: 10,
    message: 'The payment provider does not answer.',
    messages: { switched_off: 'This way of paying is not set up at this service.' },
    retry: 'later',
    meaning:
      'The provider behind this way of paying is unavailable, or its answer was lost; or the operator of the service has not set this way of paying up (`meta.reason` is `switched_off`).',
    action:
      'Ask for the quote again after the pause; to create a deposit, ask for a new quote first, since the token of this one is used. Nothing was made that lists show. Should money reach the order of the lost answer all the same, its deposit, `meta.depositId`, appears. When `meta.reason` is `switched_off`, waiting does not help: ask the operator of the service.',
    meta: {
      depositId: 'what its deposit will be, should money reach it all the same',
      reason: '`switched_off` when this way of paying is not set up',
    },
    metaExample: { depositId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d' },
  },
  CRYPTO_PAYOUT_NOT_FOUND: {
    code: 1820,
    status: 404,
    message: 'The merchant has no such withdrawal.',
    retry: 'never',
    meaning: 'No withdrawal of this merchant has this id.',
    action: 'List the withdrawals and use an id from there.',
  },
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: {
    code: 1821,
    status: 402,
    message: 'The payout custody does not cover this.',
    retry: 'after-fix',
    meaning:
      'The custody balance of this chain and token is less than the amount and its fee. What is held on another chain or in another token does not count.',
    action:
      'Deposit this token on this chain, choose a pair that holds enough, or lower the amount.',
    meta: {
      chain: 'the chain that was asked for',
      token: 'the token that was asked for',
      requiredCents: 'the amount and its network fee',
      index: INDEX,
    },
    metaExample: { chain: 'base', token: 'USDC', requiredCents: 2523 },
  },
  CRYPTO_PAYOUT_DESTINATION_INVALID: {
    code: 1822,
    status: 422,
    message: 'The destination is not a usable address.',
    messages: {
      malformed: 'The destination is no address: 0x and 40 hexadecimal digits.',
      checksum: 'The checksum of the destination is wrong: a letter was changed, or its case.',
      zero_address: 'The destination is the zero address: what is sent there is lost.',
      token_contract: 'The destination is the contract of a token: what is sent there is lost.',
      own_address: 'The destination is an address of this service.',
      not_listed: 'The destination is not on your list, or not yet for a day.',
    },
    retry: 'after-fix',
    meaning:
      'The address is malformed, has a wrong checksum, or is one that must not be paid; `meta.reason` says which.',
    action: 'Check the address with its owner.',
    meta: {
      reason:
        '`malformed`, `checksum` (EIP-55), `zero_address`, `token_contract`, `own_address` (of this service) or `not_listed` (on your list of destinations for a day)',
      index: INDEX,
    },
    metaExample: { reason: 'checksum' },
  },
  CRYPTO_PAYOUT_NO_CALLBACK_URL: {
    code: 1823,
    status: 409,
    message: 'No callback URL is registered for payouts.',
    retry: 'after-fix',
    meaning: 'Every withdrawal is approved by a callback, and none is set or it is disabled.',
    action: 'Set or enable the callback URL in the dashboard.',
  },
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: {
    code: 1824,
    status: 422,
    message: 'This token is not paid out on this chain.',
    retry: 'after-fix',
    meaning: 'Chain and token are known, but not as a pair.',
    action: 'Read the custody balances for the supported pairs.',
    meta: { index: INDEX },
  },
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: {
    code: 1825,
    status: 422,
    message: 'The amount is too small or too large for a withdrawal.',
    messages: { fees: 'The fees leave nothing of this amount.' },
    retry: 'after-fix',
    meaning:
      'A withdrawal has a minimum and a maximum amount, and its fees have to leave something of it.',
    action: 'Choose an amount within the bounds.',
    meta: {
      minUsdCents:
        'the minimum, in US cents; with `fees` the least that they leave a cent of at this moment, absent when they leave nothing of any amount',
      maxUsdCents: 'the maximum, in US cents',
      reason: '`fees` when the fees leave nothing',
      index: INDEX,
    },
    metaExample: { minUsdCents: 100, maxUsdCents: 10_000_000 },
  },
  USER_HAS_FUNDS_OR_OPEN_TRADES: {
    code: 1900,
    status: 409,
    message: 'The sub-user still holds money or has something under way.',
    retry: 'after-fix',
    meaning:
      'Only a sub-user with a zero balance, no debt and no open trade, deposit or withdrawal can be deleted.',
    action: 'Wait for open trades to end and defund the wallet, then delete.',
  },
  USER_DELETED: {
    code: 1901,
    status: 409,
    message: 'This externalId belongs to a deleted sub-user.',
    retry: 'after-fix',
    meaning: 'A deleted sub-user keeps its externalId, so that its history stays unambiguous.',
    action: 'Create the sub-user under another externalId.',
  },
  EXTERNAL_ID_TAKEN: {
    code: 1902,
    status: 409,
    message: 'Another sub-user has this externalId.',
    retry: 'after-fix',
    meaning: 'An externalId names one sub-user of a merchant, a deleted one included.',
    action: 'Choose another externalId.',
  },
  WEBHOOK_LIMIT_REACHED: {
    code: 1910,
    status: 409,
    message: 'This account already has ten webhook endpoints.',
    retry: 'after-fix',
    meaning: 'An account can have at most ten webhook endpoints.',
    action: 'Change or remove one of them.',
  },
  MARKET_UNAVAILABLE: {
    code: 2000,
    status: 503,
    retryAfterSeconds: 10,
    message: 'The market of this listing is away.',
    retry: 'later',
    meaning:
      'The market is switched off or does not answer, or an order under this externalId was lost by a restore and the request differs from it. The whole request was refused, nothing was taken.',
    action:
      'Buy a listing of another market, or try again later. Of a buy that `GET /merchant/restores` lists: send it as it was, or ask us.',
  },
  ITEM_NOT_FOUND: {
    code: 2010,
    status: 404,
    message: 'There is no such item.',
    retry: 'never',
    meaning: 'The catalogue, or the trade that was named, has no item with this id.',
    action: 'Take item ids from search, or from the trade.',
  },
  LISTING_NOT_FOUND: {
    code: 2011,
    status: 404,
    message: 'The listing is gone.',
    retry: 'never',
    meaning: 'The listing never existed, was sold or was taken down.',
    action: 'Read the item’s listings again and choose another one.',
  },
  PRICE_MISMATCH: {
    code: 2020,
    status: 409,
    message: 'The price is not the expected one.',
    retry: 'after-fix',
    meaning:
      'The listing costs more than `maxPrice`, or the price of a sell is not the live quote. Nothing was taken.',
    action: 'Decide on `meta.currentPrice` and send the request with it.',
    meta: {
      listingId: 'the listing, on a buy',
      assetid: 'the asset, on a sell',
      currentPrice: 'the price now',
    },
    metaExample: { listingId: '4700012345', currentPrice: 13.07 },
  },
  NO_LISTING_AT_PRICE: {
    code: 2021,
    status: 409,
    message: 'Nothing is for sale at this price.',
    retry: 'later',
    meaning: 'A quick-buy found no listing of the item at or below `maxPrice`.',
    action: 'Raise `maxPrice`, or try again later.',
  },
  TRADEURL_REQUIRED: {
    code: 2022,
    status: 422,
    message: 'There is no trade URL to deliver to.',
    retry: 'after-fix',
    meaning: 'The request names no trade URL and the account has no primary one.',
    action: 'Send `tradeUrl`, or store a trade URL for the account.',
  },
  DUPLICATE_LISTING_ID: {
    code: 2023,
    status: 422,
    message: 'The request names one listing twice.',
    retry: 'after-fix',
    meaning: 'A listing is a single thing and can be bought once.',
    action: 'Name each listing once.',
  },
  TRADE_NOT_FOUND: {
    code: 2030,
    status: 404,
    message: 'There is no such trade.',
    retry: 'never',
    meaning: 'No trade of this account has this id.',
    action: 'Take trade ids from the list of trades.',
  },
  TRADE_CANCEL_TOO_SOON: {
    code: 2031,
    status: 409,
    message: 'The market does not cancel so early.',
    retry: 'later',
    meaning: 'The market cancels an order only after a minimum age. The item continues.',
    action: 'Cancel again in a few minutes.',
  },
  TRADE_NOT_CANCELLABLE: {
    code: 2032,
    status: 409,
    message: 'Nothing is left to cancel.',
    retry: 'never',
    meaning: 'The trade offer was sent, the items were delivered, or everything has ended already.',
    action: 'Read the trade; its items say how far they are.',
  },
  TRADE_CANCEL_PENDING: {
    code: 2033,
    status: 409,
    message: 'The market has not been asked yet.',
    retry: 'later',
    meaning:
      'The budget of calls at the market is used up. The cancel goes on, and its outcome is an event of the trade.',
    action: 'Wait for trade.canceled, or read the trade; cancelling again is safe and not needed.',
  },
  MARKET_ORDER_LIMIT_REACHED: {
    code: 2040,
    status: 409,
    message: 'Too many market orders are open.',
    retry: 'after-fix',
    meaning:
      'The account has 200 market orders that are open or paused, or the merchant and its sub-users have 5,000 together.',
    action: 'Cancel market orders that are no longer needed, or wait until some are filled.',
  },
  MARKET_ORDER_NOT_FOUND: {
    code: 2041,
    status: 404,
    message: 'There is no such market order.',
    retry: 'never',
    meaning: 'No market order of this account has this id.',
    action: 'Take ids from the list of market orders, with the same `On-Behalf-Of`.',
  },
  MARKET_ORDER_CLOSED: {
    code: 2042,
    status: 409,
    message: 'The market order is closed.',
    retry: 'never',
    meaning: 'The market order is filled, canceled or expired, and does not change any more.',
    action: 'Create a new market order.',
  },
  SELL_ITEM_NOT_ACCEPTED: {
    code: 2100,
    status: 409,
    message: 'The bots do not buy this item now.',
    retry: 'later',
    meaning:
      'There is no quote for the item, it cannot be traded, or it is in an open sell already.',
    action: 'Sell only items that the inventory shows as accepted.',
  },
  SELL_ITEM_NOT_FOUND: {
    code: 2101,
    status: 404,
    message: 'The inventory does not hold this item.',
    retry: 'never',
    meaning: 'No item of the linked account has this id.',
    action: 'Read the inventory again.',
  },
  SELL_NO_BOT_AVAILABLE: {
    code: 2102,
    status: 503,
    retryAfterSeconds: 30,
    message: 'No bot can take the items now.',
    retry: 'later',
    meaning:
      'All bots are full, busy or unavailable, or too many of your sells wait for one. No trade offer was sent.',
    action: 'Send the request again in a few minutes.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorKey = keyof typeof ERRORS

export const ERROR_KEYS = Object.keys(ERRORS) as readonly ErrorKey[]

/** The blocks of a hundred that codes are grouped in. */
export const ERROR_GROUPS = [
  { from: 1000, title: 'General and infrastructure' },
  { from: 1100, title: 'Authentication' },
  { from: 1200, title: 'Two-factor' },
  { from: 1300, title: 'Account access' },
  { from: 1400, title: 'User settings' },
  { from: 1500, title: 'Wallet' },
  { from: 1600, title: 'Gateway and on-ramp deposits' },
  { from: 1800, title: 'Crypto deposits, withdrawals and payout custody' },
  { from: 1900, title: 'Merchant management' },
  { from: 2000, title: 'Marketplace' },
  { from: 2100, title: 'Selling' },
] as const

/** The catalogue's entry with all optional fields visible. */
export const errorEntry = (key: ErrorKey): ErrorEntry => ERRORS[key]

/** For people: the message of the reason that `meta` names, else that of the key. */
export function errorMessage(key: ErrorKey, meta?: Readonly<Record<string, unknown>>): string {
  const { message, messages = {} } = errorEntry(key)
  const reason = meta?.reason
  const isKnown = typeof reason === 'string' && Object.hasOwn(messages, reason)
  return (isKnown ? messages[reason] : undefined) ?? message
}

export const isErrorKey = (key: string): key is ErrorKey => Object.hasOwn(ERRORS, key)
