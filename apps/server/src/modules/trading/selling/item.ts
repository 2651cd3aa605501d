// An asset of a sell. Everything here is pure.
import type { Cents, Currency } from '#kernel/money'
import type { FailureCode } from '#trades'
import type { AssetRef, PlatformRejection } from './ports.ts'

/** What a request may name an asset by: our own encoded id, or the platform's raw one. */
export type AssetName = { readonly id: string } | { readonly assetId: string }

export interface EncodedAsset extends AssetRef {
  readonly classId: string
}

/** An opaque name that says which asset was seen: a raw asset id alone does not show of what kind it was. */
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
