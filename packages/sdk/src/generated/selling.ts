// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Charm, Currency, Doppler, TradeStatus } from './shared.ts'

export interface SellBody {
  items: readonly SellItem[]
  /** Of the linked platform account; instead of the primary trade URL. */
  tradeUrl?: string | undefined
  /** A second sell with it answers the first trade again. */
  externalId?: string | undefined
}

export interface SellInventoryItem {
  /** Names this very item to a sell. Opaque. */
  id: string
  /** The platform’s own asset id. */
  assetid: string
  name: string
  marketHashName: string
  type: string
  /** The platform’s icon hash, as it is. */
  iconUrl: string
  tradable: boolean
  /** A reference price, in US dollars. */
  marketPrice?: number
  /**
   * The offer in US dollars. A sell sends the same amount as a decimal string. 0 when there is
   * none.
   */
  price: number
  /** There is an offer, and the item can be traded. */
  accepted: boolean
  exterior?: string
  rarity?: string
  color?: string
  previewToken?: string
  /** The float value as text. */
  wear?: string
  paintSeed?: number
  doppler?: Doppler
  stickers?: SellSticker[]
  charm?: Charm
}

export interface SellInventoryResponse {
  items: SellInventoryItem[]
  /** Of the prices: always USD. */
  currency: Currency
  count: number
}

/** Names its item by exactly one of id and assetid. */
export type SellItem =
  | {
      /** From the sell inventory. */
      id: string
      /**
       * The `price` of the item in the sell inventory as a decimal string with at most two decimals,
       * in US dollars: 12.5 is sent as "12.50". It must equal the live quote to the cent.
       */
      price: string
      assetid?: undefined
    }
  | {
      /** The platform’s own asset id. */
      assetid: string
      /**
       * The `price` of the item in the sell inventory as a decimal string with at most two decimals,
       * in US dollars: 12.5 is sent as "12.50". It must equal the live quote to the cent.
       */
      price: string
      id?: undefined
    }

export interface SellPrice {
  marketHashName: string
  /**
   * What is paid for one, in US dollars; of an item with phases, for the cheapest one. 0 when it
   * is not accepted.
   */
  deposit: number
  /** The bots buy it now. */
  accepted: boolean
}

export interface SellResponse {
  /** The trade. */
  id: string
  status: TradeStatus
  itemCount: number
  /**
   * The sum of the offers in the wallet’s currency, at an exchange rate that is locked now. The
   * merchant’s fee comes off it.
   */
  totalPrice: number
  currency: Currency
  createdAt: string
}

export interface SellSticker {
  name: string
  slot: number
  wear?: string
  iconUrl: string
}
