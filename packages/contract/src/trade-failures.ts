// Why an item failed or was declined, and the sentence that pages, the CLI and the SDK show for it.
// It imports nothing: a browser loads only these sentences.

export const TRADE_FAILURES = {
  LISTING_UNAVAILABLE: 'The listing was sold or withdrawn before it could be bought.',
  NO_LISTING_AT_PRICE: 'No listing of the item was left within the highest price.',
  PRICE_CHANGED: 'The listing became dearer than the highest price.',
  TRADE_URL_INVALID: 'The platform does not accept the trade URL.',
  STEAM_ACCOUNT_RESTRICTED: 'The user’s platform account is not allowed to trade.',
  BUYER_TRADE_RESTRICTED:
    'The user’s platform account has a trade hold or another limit on trades.',
  OFFER_NOT_ACCEPTED: 'The trade offer was declined, countered or not accepted in time.',
  MARKET_UNAVAILABLE: 'The market could not take the order.',
  PURCHASE_FAILED: 'The market or the seller did not carry out the purchase.',
} as const

export type TradeFailureCode = keyof typeof TRADE_FAILURES
