import { amountText } from '../amount.ts'
import type { SellBody, SellItem } from '../generated/selling.ts'
import type { CallOptions } from '../options.ts'
import type { Call } from '../transport.ts'

/** `price` as the inventory shows it, a number, or as a decimal string; it is sent as a string. */
export type ItemToSell = SellItem extends infer Item
  ? Item extends SellItem
    ? Omit<Item, 'price'> & { readonly price: number | string }
    : never
  : never

export interface SellRequest extends Omit<SellBody, 'items'> {
  readonly items: readonly ItemToSell[]
}

/** Selling to the service's own bots. */
export const sellingOf = (call: Call) => ({
  /** What the bots pay for each market hash name, in US dollars. The answer is large. */
  prices: (options?: CallOptions) => call('listSellPrices', {}, options),

  /** The inventory of the linked platform account, with the bots' offer for each item. */
  inventory: (options?: CallOptions) => call('getSellInventory', {}, options),

  /**
   * Sells items. With an `externalId` the call is idempotent and is retried after a lost answer; without
   * one it is sent once.
   */
  sell: (request: SellRequest, options?: CallOptions) =>
    call('sell', { body: { ...request, items: request.items.map(withPriceText) } }, options),
})

export type Selling = ReturnType<typeof sellingOf>

const withPriceText = (item: ItemToSell): SellItem => ({
  ...item,
  price: amountText('price', item.price),
})
