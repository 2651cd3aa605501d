import { type Static, Type } from 'typebox'
import { ASSET_ID_PATTERN, ENCODED_ASSET_PATTERN } from '../patterns.ts'
import {
  Currency,
  DateTime,
  ExternalId,
  MoneyNumber,
  PositiveAmountString,
  TradeStatus,
  TradeUrlText,
  Uuid,
} from '../primitives.ts'
import { describe } from '../schema.ts'
import { Doppler } from './market.ts'
import { Charm } from './trade.ts'

const text = Type.String()
const optionalText = Type.Optional(text)

export const SellPrice = Type.Object(
  {
    marketHashName: text,
    deposit: describe(
      MoneyNumber,
      'What is paid for one, in US dollars; of an item with phases, for the cheapest one. 0 when it is not accepted.',
    ),
    accepted: Type.Boolean({ description: 'The bots buy it now.' }),
  },
  { title: 'SellPrice' },
)
export type SellPrice = Static<typeof SellPrice>

export const SellPrices = Type.Array(SellPrice)
export type SellPrices = Static<typeof SellPrices>

export const SellSticker = Type.Object(
  { name: text, slot: Type.Integer(), wear: optionalText, iconUrl: text },
  { title: 'SellSticker' },
)
export type SellSticker = Static<typeof SellSticker>

const AssetId = Type.String({ pattern: ASSET_ID_PATTERN, examples: ['31245678901'] })

export const SellInventoryItem = Type.Object(
  {
    id: Type.String({ description: 'Names this very item to a sell. Opaque.' }),
    assetid: describe(AssetId, 'The platform’s own asset id.'),
    name: text,
    marketHashName: text,
    type: text,
    iconUrl: Type.String({ description: 'The platform’s icon hash, as it is.' }),
    tradable: Type.Boolean(),
    marketPrice: Type.Optional(describe(MoneyNumber, 'A reference price, in US dollars.')),
    price: describe(
      MoneyNumber,
      'The offer in US dollars. A sell sends the same amount as a decimal string. 0 when there is none.',
    ),
    accepted: Type.Boolean({ description: 'There is an offer, and the item can be traded.' }),
    exterior: optionalText,
    rarity: optionalText,
    color: optionalText,
    previewToken: optionalText,
    wear: Type.Optional(Type.String({ description: 'The float value as text.' })),
    paintSeed: Type.Optional(Type.Integer()),
    doppler: Type.Optional(Doppler),
    stickers: Type.Optional(Type.Array(SellSticker)),
    charm: Type.Optional(Charm),
  },
  { title: 'SellInventoryItem' },
)
export type SellInventoryItem = Static<typeof SellInventoryItem>

export const SellInventoryResponse = Type.Object(
  {
    items: Type.Array(SellInventoryItem),
    currency: describe(Currency, 'Of the prices: always USD.'),
    count: Type.Integer(),
  },
  { title: 'SellInventoryResponse' },
)
export type SellInventoryResponse = Static<typeof SellInventoryResponse>

export const SellItem = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: ENCODED_ASSET_PATTERN,
        description: 'From the sell inventory.',
        examples: ['MjozMTI0NTY3ODkwMTozMTA3NzY1NjA'],
      }),
    ),
    assetid: Type.Optional(describe(AssetId, 'The platform’s own asset id.')),
    price: describe(
      PositiveAmountString,
      'The `price` of the item in the sell inventory as a decimal string with at most two decimals, in US dollars: 12.5 is sent as "12.50". It must equal the live quote to the cent.',
    ),
  },
  {
    title: 'SellItem',
    examples: [{ assetid: '31245678901', price: '12.50' }],
    description: 'Names its item by exactly one of id and assetid.',
    additionalProperties: false,
    // The empty properties are for validators that want to see what a branch requires.
    oneOf: [
      { required: ['id'], properties: { id: {} } },
      { required: ['assetid'], properties: { assetid: {} } },
    ],
  },
)
export type SellItem = Static<typeof SellItem>

export const SellBody = Type.Object(
  {
    items: Type.Array(SellItem, { minItems: 1, maxItems: 100 }),
    tradeUrl: Type.Optional(
      describe(TradeUrlText, 'Of the linked platform account; instead of the primary trade URL.'),
    ),
    externalId: Type.Optional(
      describe(ExternalId, 'A second sell with it answers the first trade again.'),
    ),
  },
  {
    title: 'SellBody',
    examples: [{ items: [{ assetid: '31245678901', price: '12.50' }], externalId: 'sell-1001' }],
    additionalProperties: false,
  },
)
export type SellBody = Static<typeof SellBody>

export const SellResponse = Type.Object(
  {
    id: describe(Uuid, 'The trade.'),
    status: TradeStatus,
    itemCount: Type.Integer(),
    totalPrice: describe(
      MoneyNumber,
      'The sum of the offers in the wallet’s currency, at an exchange rate that is locked now. The merchant’s fee comes off it.',
    ),
    currency: Currency,
    createdAt: DateTime,
  },
  { title: 'SellResponse' },
)
export type SellResponse = Static<typeof SellResponse>
