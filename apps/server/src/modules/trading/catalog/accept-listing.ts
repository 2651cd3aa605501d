// What we believe of what a market says. Invalid data never throws and never costs more than itself:
// the one listing is dropped and counted.
import { type Mills, mills } from '#kernel/money'
import { isPlain } from '#kernel/text'
import type { Delivery } from './item.ts'
import type { ItemNames } from './item-names.ts'
import type { ListingDetails, ListingSticker } from './listing.ts'

export interface AcceptedListing {
  readonly rawId: string
  readonly itemId: string
  readonly priceMills: Mills
  readonly delivery: Delivery
  readonly wearText: string | null
  readonly wear: number | null
  readonly paintSeed: number | null
  readonly details: ListingDetails
}

/** Why a listing was dropped. */
export type RejectReason = 'form' | 'price' | 'size' | 'unknown-item'

/** A million dollars. Nothing in this field costs more; what says so is a mistake or bait. */
const MAX_PRICE_MILLS = 1_000_000_000n
const MAX_STICKERS = 10
const MAX_TEXT = 300
const MAX_TOKEN = 4096

const RAW_ID = /^[A-Za-z0-9_-]{1,64}$/
const DIGITS = /^\d{1,20}$/
const WEAR = /^(0|1)(\.\d{1,40})?$/
const HEX = /^[0-9A-Fa-f]+$/

/** The types of the port are a promise of our adapters; what comes in is read as if it were unknown. */
export function acceptListing(value: unknown, names: ItemNames): AcceptedListing | RejectReason {
  if (!isRecord(value)) return 'form'
  if (!isRawId(value.rawId) || !isText(value.marketHashName)) return 'form'
  if (value.phase !== null && !isText(value.phase)) return 'form'
  if (value.delivery !== 'standard' && value.delivery !== 'instant') return 'form'
  if (!isPrice(value.priceMills)) return 'price'
  const stickers = readStickers(value.stickers)
  if (stickers === null) return 'size'
  const paintIndex = wholeNumber(value.paintIndex, 100_000)
  const itemId = names.find(value.marketHashName, value.phase, paintIndex)
  if (itemId === null) return 'unknown-item'
  const wearText = matching(value.wear, WEAR)
  const wear = wearText === null ? null : Number(wearText)
  return {
    rawId: value.rawId,
    itemId,
    priceMills: mills(value.priceMills),
    delivery: value.delivery,
    wearText: wear !== null && wear <= 1 ? wearText : null,
    wear: wear !== null && wear <= 1 ? wear : null,
    paintSeed: wholeNumber(value.paintSeed, 1000),
    details: {
      assetId: matching(value.assetId, DIGITS),
      classId: matching(value.classId, DIGITS),
      instanceId: matching(value.instanceId, DIGITS),
      paintIndex,
      stickers,
      charm: readCharm(value.charm),
      inspectToken: matching(value.inspectToken, HEX, MAX_TOKEN),
    },
  }
}

export const isRawId = (value: unknown): value is string =>
  typeof value === 'string' && RAW_ID.test(value)

export const isPrice = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value > 0n && value <= MAX_PRICE_MILLS

/** A name in which an adapter had to replace something is no name: U+FFFD stands for what was broken. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= MAX_TEXT &&
  isPlain(value) &&
  !value.includes('\uFFFD')

function readStickers(value: unknown): readonly ListingSticker[] | null {
  if (!Array.isArray(value)) return []
  if (value.length > MAX_STICKERS) return null
  return value.flatMap((sticker: unknown) => {
    if (!isRecord(sticker) || !isText(sticker.name) || !isText(sticker.iconUrl)) return []
    const slot = wholeNumber(sticker.slot, 100)
    if (slot === null) return []
    return [{ name: sticker.name, slot, wear: share(sticker.wear), iconUrl: sticker.iconUrl }]
  })
}

function readCharm(value: unknown): ListingDetails['charm'] {
  if (!isRecord(value) || !isText(value.name) || !isText(value.iconUrl)) return null
  const pattern = wholeNumber(value.pattern, 1_000_000)
  return { name: value.name, pattern, iconUrl: value.iconUrl }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wholeNumber = (value: unknown, max: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max ? value : null

const share = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : null

const matching = (value: unknown, pattern: RegExp, maxLength = 64): string | null =>
  typeof value === 'string' && value.length <= maxLength && pattern.test(value) ? value : null
