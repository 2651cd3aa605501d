// Texts of the steps and the problems of a trade.
export const trade = {
  steps: {
    requested: 'Requested',
    paid: 'Paid',
    placed: 'Placed',
    offered: 'Offered',
    held: 'Accepted, on hold',
    settled: 'Delivered and settled',
  },
  /** Of items that ended before they were settled. */
  endedAs: (states: readonly string[]) =>
    states.length === 0 ? 'Ended' : `Ended: ${states.join(', ')}`,
  /** In the fold of a step. */
  entries: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
  problemOf: (item: string, sentence: string) => `${item}: ${sentence}`,
  /** Of an offer that was not accepted, by what the market says of it. */
  offerDeclined: 'The user declined the trade offer.',
  offerUnsaid: 'The market does not say whether the user declined it or let it expire.',
  marketSays: 'In the market’s words',
  details: 'Details',
  code: 'Error code',
  explained: 'What each error of an item means',
  reverted: {
    supplier: 'The seller took the delivery back.',
    user: 'The user reversed the delivery.',
  },
  revertedRemedy: {
    supplier: 'The price went back in full. Buy the item again.',
    user: 'The price is kept as a penalty. Ask the user why before you sell to them again.',
  },
  /** What to do, by the error of an item. */
  remedies: {
    LISTING_UNAVAILABLE: 'Buy another listing of the item, or use a quick-buy.',
    NO_LISTING_AT_PRICE: 'Raise the highest price, or place a market order that waits for it.',
    PRICE_CHANGED: 'Buy again with a higher maxPrice.',
    TRADE_URL_INVALID: 'Ask the user for a new trade URL, then buy again.',
    STEAM_ACCOUNT_RESTRICTED:
      'The user has to lift the restriction on the platform. Then buy again.',
    BUYER_TRADE_RESTRICTED:
      'The user has to end the trade hold, for example with the mobile authenticator. Then buy again.',
    OFFER_NOT_ACCEPTED: 'The user has to accept the offer in time. Buy again.',
    MARKET_UNAVAILABLE: 'Buy again later, or at the other market.',
    PURCHASE_FAILED: 'Buy another listing of the item.',
  } as Readonly<Record<string, string>>,
  webhookFailed: (type: string, why: string) =>
    `The webhook ${type} has not been delivered yet: ${why}.`,
  webhookRemedy:
    'It is sent again by itself for about 15 hours; the delivery says when. Repair the endpoint, or send it again yourself.',
  openDelivery: 'Open the delivery',
}
