import { defineRoute } from '../route.ts'
import { CancelItemParams, CancelItemResponse, CancelTradeResponse } from '../shapes/cancel.ts'
import { PreflightResponse } from '../shapes/preflight.ts'
import { QuickBuyBody, QuickBuyResponse } from '../shapes/quick-buy.ts'
import { TradeTimeline } from '../shapes/timeline.ts'
import { BuyBody, TradeParams } from '../shapes/trade.ts'
import { TradeLookupBody, TradeLookupResponse } from '../shapes/trade-lookup.ts'

/** Before a buy, beside it and after it. */
export const tradingRoutes = {
  lookUpTrades: defineRoute({
    id: 'lookUpTrades',
    method: 'POST',
    path: '/merchant/trades/lookup',
    context: 'merchant',
    scope: 'read',
    tag: 'Trades',
    summary: 'Find trades by their externalIds',
    description:
      'For lost responses: returns for each externalId the trades with it, of the merchant and of its sub-users, or that there was none.',
    body: TradeLookupBody,
    response: TradeLookupResponse,
    status: 200,
    cost: 1,
    refusals: [],
  }),
  preflightBuy: defineRoute({
    id: 'preflightBuy',
    method: 'POST',
    path: '/market/preflight',
    context: 'user',
    scope: 'read',
    tag: 'Market',
    summary: 'Try a buy without buying',
    description:
      'Takes the body of a buy and says of each item what it would cost and whether it would pass, what is known of the recipient, and what the wallet would hold afterwards. Nothing is reserved: a buy that follows may still meet another price.',
    body: BuyBody,
    response: PreflightResponse,
    status: 200,
    cost: 1,
    refusals: [],
  }),
  quickBuy: defineRoute({
    id: 'quickBuy',
    method: 'POST',
    path: '/market/quick-buy',
    context: 'user',
    scope: 'buy',
    tag: 'Market',
    summary: 'Buy so many of an item, the cheapest first',
    description:
      'Takes the cheapest listings of all markets that cost at most maxPrice, fees included, as one trade. With fewer for sale it buys what there is. A second quick-buy with the same externalId answers the first trade again.',
    body: QuickBuyBody,
    response: QuickBuyResponse,
    status: 200,
    cost: 5,
    refusals: [
      'IDEMPOTENCY_CONFLICT',
      'ITEM_NOT_FOUND',
      'NO_LISTING_AT_PRICE',
      'MARKET_UNAVAILABLE',
      'TRADEURL_REQUIRED',
      'TRADEURL_INVALID_TOKEN',
      'PLATFORM_UNAVAILABLE',
      'INSUFFICIENT_BALANCE',
      'SPENDING_LIMIT_REACHED',
    ],
  }),
  cancelTrade: defineRoute({
    id: 'cancelTrade',
    method: 'POST',
    path: '/market/transactions/{tradeId}/cancel',
    context: 'user',
    scope: 'buy',
    tag: 'Trades',
    summary: 'Cancel what can still be canceled of a trade',
    description:
      'Says of each item that had not ended whether it was canceled, and why not. A canceled item is refunded in full. Asking again is safe.',
    params: TradeParams,
    response: CancelTradeResponse,
    status: 200,
    cost: 5,
    refusals: ['TRADE_NOT_FOUND', 'TRADE_NOT_CANCELLABLE'],
  }),
  cancelItem: defineRoute({
    id: 'cancelItem',
    method: 'POST',
    path: '/market/transactions/{tradeId}/items/{itemId}/cancel',
    context: 'user',
    scope: 'buy',
    tag: 'Trades',
    summary: 'Cancel one item of a trade',
    description:
      'By the item’s id or the externalId that it was bought under. A canceled item is refunded in full. Asking again is safe.',
    params: CancelItemParams,
    response: CancelItemResponse,
    status: 200,
    cost: 5,
    refusals: [
      'TRADE_NOT_FOUND',
      'ITEM_NOT_FOUND',
      'TRADE_CANCEL_TOO_SOON',
      'TRADE_NOT_CANCELLABLE',
      'TRADE_CANCEL_PENDING',
    ],
  }),
  getTradeTimeline: defineRoute({
    id: 'getTradeTimeline',
    method: 'GET',
    path: '/market/transactions/{tradeId}/timeline',
    context: 'user',
    scope: 'read',
    tag: 'Trades',
    summary: 'Read everything that happened to a trade',
    description:
      'The request, the steps of each item, offers, movements of the wallet, events and the attempts to deliver them, by rising time.',
    params: TradeParams,
    response: TradeTimeline,
    status: 200,
    cost: 1,
    refusals: ['TRADE_NOT_FOUND'],
  }),
} as const
