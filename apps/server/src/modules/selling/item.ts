// An item of a sell and the one table of steps that it may take. Everything here is pure.
import type { Cents, Currency } from '#kernel/money'
import type { FailureCode, Status } from '#trades'
import type { AssetRef, PlatformRejection } from './ports.ts'

/** The steps that exist, with what each means. The database holds the same pairs and refuses all others. */
export const SELL_TRANSITIONS = {
  initiated: {
    pending: 'a bot has it among what it is about to ask for',
    failed: 'no bot could take it within 15 minutes',
    canceled: 'canceled before a bot had it',
  },
  pending: {
    active: 'the offer is out',
    failed: 'the platform refused the offer, the asset is gone, or the offer was never sent',
    canceled: 'canceled while certainly no offer was out',
  },
  active: {
    hold: 'the user accepted, and the bot received exactly what was asked for',
    declined: 'the user declined, countered, or let the offer expire',
    failed: 'the assets are gone, or the platform would hold them back',
    canceled: 'canceled by the platform or an administrator',
  },
  hold: {
    completed: 'the hold window is over and a fresh read of the exchange is clean',
    reverted: 'the user reversed the exchange',
  },
  completed: {},
  reverted: {},
  declined: {},
  canceled: {},
  failed: {},
} as const satisfies Record<Status, Partial<Record<Status, string>>>

/** What a request may name an asset by: our own encoded id, or the platform's raw one. */
export type AssetName = { readonly id: string } | { readonly assetId: string }

export interface EncodedAsset extends AssetRef {
  readonly classId: string
}

/** An opaque name that says which asset was seen: a raw asset id alone does not tell of what kind it was. */
export const encodeAsset = ({ contextId, assetId, classId }: EncodedAsset): string =>
  Buffer.from(`${contextId}:${assetId}:${classId}`).toString('base64url')

const ENCODED = /^(2|16):(\d{1,20}):(\d{1,20})$/

/** Null for whatever we have not encoded ourselves, another spelling of the same bytes included. */
export function decodeAsset(id: string): EncodedAsset | null {
  const match = ENCODED.exec(Buffer.from(id, 'base64url').toString('latin1'))
  if (!match) return null
  const [, contextId, assetId = '', classId = ''] = match
  const asset = { contextId: contextId as AssetRef['contextId'], assetId, classId }
  return encodeAsset(asset) === id ? asset : null
}

/** Why an item fails when the platform certainly refuses its offer; null where another bot may do better. */
export const FAILURES: Readonly<Record<PlatformRejection, FailureCode | null>> = {
  url_invalid: 'TRADE_URL_INVALID',
  profile_private: 'TRADE_URL_INVALID',
  inventory_private: 'TRADE_URL_INVALID',
  trade_ban: 'STEAM_ACCOUNT_RESTRICTED',
  target_cannot_trade: 'STEAM_ACCOUNT_RESTRICTED',
  trade_hold: 'BUYER_TRADE_RESTRICTED',
  probation: 'BUYER_TRADE_RESTRICTED',
  items_gone: 'LISTING_UNAVAILABLE',
  offer_limit: null,
  inventory_full: null,
  bot_restricted: null,
}

/** One thing that the bots bought, or are about to. */
export interface StockItem {
  readonly itemId: string
  readonly botId: string
  readonly assetId: string
  readonly marketHashName: string
  readonly cost: Cents
  readonly currency: Currency
  readonly costUsd: Cents
  readonly acquiredAt: Date
  readonly unlocksAt: Date
  readonly state: 'protected' | 'owned' | 'returned'
}
