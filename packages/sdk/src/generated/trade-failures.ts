// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

import type { TradeFailureCode } from './shared.ts'

/** For people: why an item failed or was declined, by its `error`. */
export const TRADE_FAILURES: Readonly<Record<TradeFailureCode, string>> = {
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
}
