import type { SellBody } from '../generated/selling.ts'
import type { CallOptions } from '../options.ts'
import type { Call } from '../transport.ts'

/** Selling to the service's own bots. */
export const sellingOf = (call: Call) => ({
  /** What the bots pay for each market hash name, in US dollars. The answer is large. */
  prices: (options?: CallOptions) => call('listSellPrices', {}, options),

  /** The inventory of the linked platform account, with the bots' offer for each item. */
  inventory: (options?: CallOptions) => call('getSellInventory', {}, options),

  /**
   * Sells items. Give it an `externalId`: only then is the call repeated after a lost answer, and the
   * items sold once. Without one it is sent once, whatever happens.
   */
  sell: (body: SellBody, options?: CallOptions) => call('sell', { body }, options),
})

export type Selling = ReturnType<typeof sellingOf>
