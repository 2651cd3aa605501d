// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Charm, Currency, Doppler, TradeStatus } from './shared.ts'

export interface SellBody {
  /** The rows of this page, or the parts of this object. */
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
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The type as the platform writes it. */
  type: string
  /** The platform’s icon hash, as it is. */
  iconUrl: string
  /** Whether the thing can be traded now. */
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
  /** The name of the wear, such as Field-Tested. */
  exterior?: string
  /** The rarity. */
  rarity?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  color?: string
  /** The inspect token of the item; null when it is not known. */
  previewToken?: string
  /** The float value as text. */
  wear?: string
  /** The number that places the pattern. */
  paintSeed?: number
  /** The phase of a Doppler finish. */
  doppler?: Doppler
  /** Stickers on the item. */
  stickers?: SellSticker[]
  /** The charm on the item. */
  charm?: Charm
}

export interface SellInventoryResponse {
  /** The rows of this page, or the parts of this object. */
  items: SellInventoryItem[]
  /** Of the prices: always USD. */
  currency: Currency
  /** How many there are. */
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
  /** The name of the item on the platform; the key of an item in most systems. */
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
  /** The current status. */
  status: TradeStatus
  /** Items that were taken. */
  itemCount: number
  /**
   * The sum of the offers in the wallet’s currency, at an exchange rate that is locked now. The
   * merchant’s fee comes off it.
   */
  totalPrice: number
  /** The currency of the amounts. */
  currency: Currency
  /** When it was created. */
  createdAt: string
}

export interface SellSticker {
  /** The name, for people. */
  name: string
  /** Where the sticker is, from 0. */
  slot: number
  /** The wear as a number from 0, which is new, to 1. */
  wear?: string
  /** The hash of the picture at the platform. */
  iconUrl: string
}
