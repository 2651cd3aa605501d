import { defineRoute } from '../route.ts'
import { SellBody, SellInventoryResponse, SellPrices, SellResponse } from '../shapes/selling.ts'

/** Selling to the service's own bots. */
export const sellingRoutes = {
  listSellPrices: defineRoute({
    id: 'listSellPrices',
    method: 'GET',
    path: '/market/sell/prices',
    context: 'user',
    scope: 'read',
    tag: 'Selling',
    summary: 'List what the bots pay',
    description:
      'One row for each market hash name of the catalogue, in US dollars. Large; `if-none-match` is honoured.',
    response: SellPrices,
    status: 200,
    cost: 1,
    refusals: [],
  }),
  getSellInventory: defineRoute({
    id: 'getSellInventory',
    method: 'GET',
    path: '/market/sell/inventory',
    context: 'user',
    scope: 'read',
    tag: 'Selling',
    summary: 'Read what the user could sell',
    description:
      'The inventory of the linked platform account, with the bots’ offer for each item.',
    response: SellInventoryResponse,
    status: 200,
    cost: 5,
    refusals: ['PLATFORM_ACCOUNT_NOT_LINKED', 'INVENTORY_PRIVATE', 'PLATFORM_UNAVAILABLE'],
  }),
  sell: defineRoute({
    id: 'sell',
    method: 'POST',
    path: '/market/sell',
    context: 'user',
    scope: 'sell',
    tag: 'Selling',
    summary: 'Sell items to the bots',
    description:
      'Bots make the user trade offers for the items. When one is accepted, the payout comes after the hold, less the merchant’s fee; until then no money moves. A second sell with the same externalId answers the first trade again.',
    body: SellBody,
    response: SellResponse,
    status: 200,
    cost: 5,
    refusals: [
      'DUPLICATE_LISTING_ID',
      'IDEMPOTENCY_CONFLICT',
      'PLATFORM_ACCOUNT_NOT_LINKED',
      'TRADEURL_REQUIRED',
      'TRADEURL_INVALID_TOKEN',
      'TRADEURL_PLATFORM_MISMATCH',
      'PLATFORM_UNAVAILABLE',
      'INVENTORY_PRIVATE',
      'SELL_ITEM_NOT_FOUND',
      'SELL_ITEM_NOT_ACCEPTED',
      'PRICE_MISMATCH',
      'SELL_NO_BOT_AVAILABLE',
    ],
  }),
} as const
