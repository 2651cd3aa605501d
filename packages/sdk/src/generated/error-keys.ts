// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

/** Every key that the service refuses with, and its HTTP status. */
export interface ErrorStatuses {
  /** 500. The service failed unexpectedly. The request may have taken effect or not. */
  INTERNAL_ERROR: 500
  /**
   * 422. A field of the body, query, path or a header is missing, unknown, of the wrong type or
   * out of bounds.
   */
  VALIDATION_FAILED: 422
  /** 404. No route has this method and path, or the resource does not exist for this caller. */
  NOT_FOUND: 404
  /**
   * 429. The budget of the merchant, the cap of the route or the allowance of the address is used
   * up.
   */
  RATE_LIMITED: 429
  /**
   * 503. An administrator has paused trading, the part of the service that would carry it out is
   * not running (of withdrawals `meta.reason` is `workers_silent`), the service was too busy for
   * this request (its message says so), it converts no money at the moment (`meta.reason` is
   * `exchange_rate` or `exchange_exposure`), it knows no current price or network fee of the token
   * (`token_value`), or the operator of the service has not set up what this route needs
   * (`switched_off`; `mail_off` when that is mail). Nothing was changed.
   */
  SERVICE_DISABLED: 503
  /**
   * 409. The `Idempotency-Key` or `externalId` was used before with a different body, sub-user or
   * amount.
   */
  IDEMPOTENCY_CONFLICT: 409
  /**
   * 400. The body is not JSON or a required `Idempotency-Key` is missing (400), the body is larger
   * than 256 KiB (413), its content type is not `application/json` (415), its headers are larger
   * than 16 KiB (431), or it did not arrive in time (408).
   */
  BAD_REQUEST: 400
  /** 401. A dashboard operation was called without a session. */
  UNAUTHENTICATED: 401
  /**
   * 401. No account has this address and password. The answer does not say which of the two is
   * wrong.
   */
  INVALID_CREDENTIALS: 401
  /** 401. The session was not used for too long, is too old, or was ended from another place. */
  SESSION_EXPIRED: 401
  /** 403. The header `x-csrf-token` is missing or of another session, or the `Origin` is not ours. */
  CSRF_TOKEN_INVALID: 403
  /** 401. No API key was sent in the header that this interface reads. */
  MISSING_API_KEY: 401
  /** 401. This interface has no such key, or two key headers were sent at once. */
  INVALID_API_KEY: 401
  /** 401. The key was revoked, or it was rotated and its overlap has ended. */
  API_KEY_REVOKED: 401
  /** 401. A signed notice is not signed with the expected secret, or its timestamp is stale. */
  INVALID_SIGNATURE: 401
  /** 401. The password is right, and this login has a second factor. */
  TWO_FACTOR_REQUIRED: 401
  /** 401. The code is not the one that was sent or shown, or it was used before. */
  TWO_FACTOR_INVALID: 401
  /** 401. The challenge is unknown, answered, older than ten minutes or out of tries. */
  TWO_FACTOR_EXPIRED: 401
  /** 409. Codes of an authenticator app or by mail are on for this login. */
  TWO_FACTOR_ALREADY_ENABLED: 409
  /** 409. The second factor of this login is off. */
  TWO_FACTOR_NOT_ENABLED: 409
  /** 403. Sensitive acts ask again for the second factor. */
  TWO_FACTOR_FRESH_REQUIRED: 403
  /** 403. Pages of administrators are closed to a login without an authenticator app or a passkey. */
  TWO_FACTOR_SETUP_REQUIRED: 403
  /**
   * 403. The operation belongs to the dashboard, to another kind of key or to another role, the
   * key lacks the scope of the route or has a spend limit and would raise a market order of
   * another key, or `On-Behalf-Of` was sent to a route that runs as the merchant.
   */
  FORBIDDEN: 403
  /**
   * 403. The merchant is suspended, or the sub-user is and the operation would buy, sell, deposit
   * or open a socket.
   */
  ACCOUNT_SUSPENDED: 403
  /** 403. The link in the registration mail has not been used yet. */
  EMAIL_NOT_VERIFIED: 403
  /**
   * 422. The token of a mail, or the answer of a chat platform, is unknown, used, expired or of
   * another session.
   */
  TOKEN_INVALID: 422
  /**
   * 422. It is shorter than ten characters, has fewer than four different ones, is one of the most
   * common passwords, or is the e-mail address itself.
   */
  PASSWORD_TOO_WEAK: 422
  /** 409. Only an account without balance, debt, trades, deposits and withdrawals can be deleted. */
  ACCOUNT_HAS_FUNDS: 409
  /** 403. The key is restricted to source addresses, and the request came from another one. */
  API_KEY_IP_DENIED: 403
  /** 503. The chat platform is unavailable, or its answer could not be read. Nothing was linked. */
  CHAT_UNAVAILABLE: 503
  /** 409. An account at the chat platform belongs to one login at a time. */
  CHAT_ACCOUNT_TAKEN: 409
  /**
   * 404. Neither the UUID nor the externalId names a sub-user of this merchant; for a partner,
   * neither the email nor the id of a key names a child of it.
   */
  USER_NOT_FOUND: 404
  /** 422. The token is wrong or expired, or the profile or inventory is private. */
  TRADEURL_INVALID_TOKEN: 422
  /** 404. No stored trade URL of this account has this id. */
  TRADEURL_NOT_FOUND: 404
  /** 422. The operation needs a trade URL of the platform account that is linked to the user. */
  TRADEURL_PLATFORM_MISMATCH: 422
  /** 422. The operation needs a platform account, and the first trade URL has not been stored yet. */
  PLATFORM_ACCOUNT_NOT_LINKED: 422
  /** 422. The platform does not show the inventory of the linked account. */
  INVENTORY_PRIVATE: 422
  /**
   * 503. The trade URL or inventory could not be checked, because the platform is unavailable or
   * you have asked for more checks than your share of those it allows.
   */
  PLATFORM_UNAVAILABLE: 503
  /** 402. The wallet that pays holds less than the operation needs. Nothing was taken. */
  INSUFFICIENT_BALANCE: 402
  /**
   * 403. The operation would exceed the spend limit of the API key, or a limit that the merchant
   * has set for the sub-user. No money was moved.
   */
  SPENDING_LIMIT_REACHED: 403
  /** 404. No deposit of this account has this id. */
  DEPOSIT_NOT_FOUND: 404
  /** 422. Each way of paying has a minimum and a maximum amount. */
  DEPOSIT_AMOUNT_OUT_OF_RANGE: 422
  /** 422. The token was not issued for this account and way of paying, or it was used already. */
  QUOTE_INVALID: 422
  /** 409. A quote holds for a few minutes only. */
  QUOTE_EXPIRED: 409
  /** 409. Only a deposit for which no payment was seen can be cancelled. */
  DEPOSIT_NOT_CANCELLABLE: 409
  /** 422. The quoted currency is not accepted on the requested chain. */
  DEPOSIT_CHAIN_UNSUPPORTED: 422
  /**
   * 503. The provider behind this way of paying is unavailable, or its answer was lost; or the
   * operator of the service has not set this way of paying up (`meta.reason` is `switched_off`).
   */
  GATEWAY_UNAVAILABLE: 503
  /** 404. No withdrawal of this merchant has this id. */
  CRYPTO_PAYOUT_NOT_FOUND: 404
  /**
   * 402. The custody balance of this chain and token is less than the amount and its fee. What is
   * held on another chain or in another token does not count.
   */
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: 402
  /**
   * 422. The address is malformed, has a wrong checksum, or is one that must not be paid;
   * `meta.reason` says which.
   */
  CRYPTO_PAYOUT_DESTINATION_INVALID: 422
  /** 409. Every withdrawal is approved by a callback, and none is set or it is disabled. */
  CRYPTO_PAYOUT_NO_CALLBACK_URL: 409
  /** 422. Chain and token are known, but not as a pair. */
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: 422
  /**
   * 422. A withdrawal has a minimum and a maximum amount, and its fees have to leave something of
   * it.
   */
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: 422
  /**
   * 409. Only a sub-user with a zero balance, no debt and no open trade, deposit or withdrawal can
   * be deleted.
   */
  USER_HAS_FUNDS_OR_OPEN_TRADES: 409
  /** 409. A deleted sub-user keeps its externalId, so that its history stays unambiguous. */
  USER_DELETED: 409
  /** 409. An externalId names one sub-user of a merchant, a deleted one included. */
  EXTERNAL_ID_TAKEN: 409
  /** 409. An account can have at most ten webhook endpoints. */
  WEBHOOK_LIMIT_REACHED: 409
  /**
   * 503. The market is switched off or does not answer, or an order under this externalId was lost
   * by a restore and the request differs from it. The whole request was refused, nothing was
   * taken.
   */
  MARKET_UNAVAILABLE: 503
  /** 404. The catalogue, or the trade that was named, has no item with this id. */
  ITEM_NOT_FOUND: 404
  /** 404. The listing never existed, was sold or was taken down. */
  LISTING_NOT_FOUND: 404
  /**
   * 409. The listing costs more than `maxPrice`, or the price of a sell is not the live quote.
   * Nothing was taken.
   */
  PRICE_MISMATCH: 409
  /** 409. A quick-buy found no listing of the item at or below `maxPrice`. */
  NO_LISTING_AT_PRICE: 409
  /** 422. The request names no trade URL and the account has no primary one. */
  TRADEURL_REQUIRED: 422
  /** 422. A listing is a single thing and can be bought once. */
  DUPLICATE_LISTING_ID: 422
  /** 404. No trade of this account has this id. */
  TRADE_NOT_FOUND: 404
  /** 409. The market cancels an order only after a minimum age. The item continues. */
  TRADE_CANCEL_TOO_SOON: 409
  /** 409. The trade offer was sent, the items were delivered, or everything has ended already. */
  TRADE_NOT_CANCELLABLE: 409
  /**
   * 409. The budget of calls at the market is used up. The cancel goes on, and its outcome is an
   * event of the trade.
   */
  TRADE_CANCEL_PENDING: 409
  /**
   * 409. The account has 200 market orders that are open or paused, or the merchant and its
   * sub-users have 5,000 together.
   */
  MARKET_ORDER_LIMIT_REACHED: 409
  /** 404. No market order of this account has this id. */
  MARKET_ORDER_NOT_FOUND: 404
  /** 409. The market order is filled, canceled or expired, and does not change any more. */
  MARKET_ORDER_CLOSED: 409
  /** 409. There is no quote for the item, it cannot be traded, or it is in an open sell already. */
  SELL_ITEM_NOT_ACCEPTED: 409
  /** 404. No item of the linked account has this id. */
  SELL_ITEM_NOT_FOUND: 404
  /**
   * 503. All bots are full, busy or unavailable, or too many of your sells wait for one. No trade
   * offer was sent.
   */
  SELL_NO_BOT_AVAILABLE: 503
}

export type ErrorKey = keyof ErrorStatuses

/** For people: what a key alone, such as one of a preflight's refusals, means. */
export const ERROR_MESSAGES: Readonly<Record<ErrorKey, string>> = {
  INTERNAL_ERROR: 'Something went wrong on our side.',
  VALIDATION_FAILED: 'The request does not have the documented shape.',
  NOT_FOUND: 'There is nothing at this address.',
  RATE_LIMITED: 'Too many requests.',
  SERVICE_DISABLED: 'Trading is paused.',
  IDEMPOTENCY_CONFLICT: 'This idempotency reference belongs to another request.',
  BAD_REQUEST: 'The request cannot be read.',
  UNAUTHENTICATED: 'A session is needed.',
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  SESSION_EXPIRED: 'The session has ended.',
  CSRF_TOKEN_INVALID: 'The request does not come from a page of this session.',
  MISSING_API_KEY: 'The header with the API key is missing.',
  INVALID_API_KEY: 'Invalid API key.',
  API_KEY_REVOKED: 'The API key was revoked.',
  INVALID_SIGNATURE: 'The signature does not match.',
  TWO_FACTOR_REQUIRED: 'A second factor is needed to log in.',
  TWO_FACTOR_INVALID: 'The code is wrong.',
  TWO_FACTOR_EXPIRED: 'The challenge is over.',
  TWO_FACTOR_ALREADY_ENABLED: 'The second factor is on already.',
  TWO_FACTOR_NOT_ENABLED: 'There is no second factor.',
  TWO_FACTOR_FRESH_REQUIRED: 'This needs a second factor that was given in the last ten minutes.',
  TWO_FACTOR_SETUP_REQUIRED: 'Set up a second factor first.',
  FORBIDDEN: 'This credential may not do this.',
  ACCOUNT_SUSPENDED: 'The account is suspended.',
  EMAIL_NOT_VERIFIED: 'The e-mail address is not confirmed.',
  TOKEN_INVALID: 'The link is not valid.',
  PASSWORD_TOO_WEAK: 'The password is too weak.',
  ACCOUNT_HAS_FUNDS: 'The account still holds money or has trades under way.',
  API_KEY_IP_DENIED: 'The API key may not be used from this address.',
  CHAT_UNAVAILABLE: 'The chat platform does not answer.',
  CHAT_ACCOUNT_TAKEN: 'The chat account is linked to another login.',
  USER_NOT_FOUND: 'There is no such user.',
  TRADEURL_INVALID_TOKEN: 'The platform does not accept this trade URL.',
  TRADEURL_NOT_FOUND: 'The account has no such trade URL.',
  TRADEURL_PLATFORM_MISMATCH: 'The trade URL belongs to another platform account.',
  PLATFORM_ACCOUNT_NOT_LINKED: 'The user has no linked platform account.',
  INVENTORY_PRIVATE: 'The inventory is private.',
  PLATFORM_UNAVAILABLE: 'The game platform does not answer.',
  INSUFFICIENT_BALANCE: 'The wallet does not cover this.',
  SPENDING_LIMIT_REACHED: 'A spending limit is reached.',
  DEPOSIT_NOT_FOUND: 'The account has no such deposit.',
  DEPOSIT_AMOUNT_OUT_OF_RANGE: 'The amount is too small or too large for this way of paying.',
  QUOTE_INVALID: 'The quote token is not valid.',
  QUOTE_EXPIRED: 'The quote has expired.',
  DEPOSIT_NOT_CANCELLABLE: 'The deposit can no longer be cancelled.',
  DEPOSIT_CHAIN_UNSUPPORTED: 'This currency cannot be paid on this chain.',
  GATEWAY_UNAVAILABLE: 'The payment provider does not answer.',
  CRYPTO_PAYOUT_NOT_FOUND: 'The merchant has no such withdrawal.',
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: 'The payout custody does not cover this.',
  CRYPTO_PAYOUT_DESTINATION_INVALID: 'The destination is not a usable address.',
  CRYPTO_PAYOUT_NO_CALLBACK_URL: 'No callback URL is registered for payouts.',
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: 'This token is not paid out on this chain.',
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: 'The amount is too small or too large for a withdrawal.',
  USER_HAS_FUNDS_OR_OPEN_TRADES: 'The sub-user still holds money or has something under way.',
  USER_DELETED: 'This externalId belongs to a deleted sub-user.',
  EXTERNAL_ID_TAKEN: 'Another sub-user has this externalId.',
  WEBHOOK_LIMIT_REACHED: 'This account already has ten webhook endpoints.',
  MARKET_UNAVAILABLE: 'The market of this listing is away.',
  ITEM_NOT_FOUND: 'There is no such item.',
  LISTING_NOT_FOUND: 'The listing is gone.',
  PRICE_MISMATCH: 'The price is not the expected one.',
  NO_LISTING_AT_PRICE: 'Nothing is for sale at this price.',
  TRADEURL_REQUIRED: 'There is no trade URL to deliver to.',
  DUPLICATE_LISTING_ID: 'The request names one listing twice.',
  TRADE_NOT_FOUND: 'There is no such trade.',
  TRADE_CANCEL_TOO_SOON: 'The market does not cancel so early.',
  TRADE_NOT_CANCELLABLE: 'Nothing is left to cancel.',
  TRADE_CANCEL_PENDING: 'The market has not been asked yet.',
  MARKET_ORDER_LIMIT_REACHED: 'Too many market orders are open.',
  MARKET_ORDER_NOT_FOUND: 'There is no such market order.',
  MARKET_ORDER_CLOSED: 'The market order is closed.',
  SELL_ITEM_NOT_ACCEPTED: 'The bots do not buy this item now.',
  SELL_ITEM_NOT_FOUND: 'The inventory does not hold this item.',
  SELL_NO_BOT_AVAILABLE: 'No bot can take the items now.',
}
