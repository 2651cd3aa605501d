// Spellings that both sides must agree on, as sources of regular expressions (JSON Schema's `pattern`,
// flag `u`) and as the functions behind the named formats.
import { readTradeUrl } from './trade-url.ts'

/** A decimal amount: no sign, no exponent, at most nine digits before and two behind the point. */
export const AMOUNT_PATTERN = '^(0|[1-9]\\d{0,8})(\\.\\d{1,2})?$'

/** The same without every spelling of zero. */
export const POSITIVE_AMOUNT_PATTERN = '^(0\\.(0[1-9]|[1-9]\\d?)|[1-9]\\d{0,8}(\\.\\d{1,2})?)$'

/** A calendar month. */
export const MONTH_PATTERN = '^[1-9]\\d{3}-(0[1-9]|1[0-2])$'

/** A decimal number without sign and exponent; at most 18 digits behind the point. */
export const DECIMAL_PATTERN = '^(0|[1-9]\\d{0,38})(\\.\\d{1,18})?$'

export const ITEM_ID_PATTERN = '^[0-9a-f]{16}$'

/** At most 50 patterns, each 0 to 1000, with commas between them. */
export const PAINT_SEEDS_PATTERN = '^(0|[1-9]\\d{0,2}|1000)(,(0|[1-9]\\d{0,2}|1000)){0,49}$'

/** At most 500 ids of items with commas between them. */
export const ITEM_IDS_PATTERN = '^[0-9a-f]{16}(,[0-9a-f]{16}){0,499}$'

/** At most 18 digits, so that it always fits a signed 64-bit integer. */
export const LISTING_ID_PATTERN = '^(0|[1-9]\\d{0,17})$'

/** A supplier's own listing id behind the name of its market. */
export const LISTING_RAW_ID_PATTERN = '^market_[ab]:[A-Za-z0-9_-]{1,64}$'

/** The platform's number of one thing in an inventory. */
export const ASSET_ID_PATTERN = '^[1-9]\\d{0,19}$'

/** An asset as a sell inventory names it: opaque to callers. */
export const ENCODED_ASSET_PATTERN = '^[A-Za-z0-9_-]{1,64}$'

/** 64-bit ids of individual platform accounts are 17 digits that begin like this. */
export const PLATFORM_ID_PATTERN = '^7656\\d{13}$'

/** An account on an EVM chain (EIP-55); whether the checksum of its capitals is right is asked elsewhere. */
export const EVM_ADDRESS_PATTERN = '^0x[0-9a-fA-F]{40}$'

/**
 * Text without control characters and lone surrogates: PostgreSQL refuses NUL, and a lone surrogate
 * would be stored as U+FFFD, so that two different references became one.
 */
export const TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$'

/** The same without a space at its ends: HTTP takes those off a header, and `bob ` would become `bob`. */
export const HEADER_TEXT_PATTERN =
  '^[^\\u0000-\\u0020\\u007f-\\u009f\\ud800-\\udfff]([^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*[^\\u0000-\\u0020\\u007f-\\u009f\\ud800-\\udfff])?$'

/** Neither `.` nor `..`: a URL takes them for a step in its path, however they are escaped (WHATWG URL). */
const noStep = (pattern: string): string => `^(?!\\.{1,2}$)${pattern.slice(1)}`
export const REFERENCE_PATTERN = noStep(TEXT_PATTERN)
export const HEADER_REFERENCE_PATTERN = noStep(HEADER_TEXT_PATTERN)

/** Text with something to see: not spaces alone, nor characters without a width. */
const visible = (pattern: string): string =>
  `^(?=.*[^\\s\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0])${pattern.slice(1)}`
export const VISIBLE_TEXT_PATTERN = visible(TEXT_PATTERN)
export const VISIBLE_NAME_PATTERN = visible(HEADER_TEXT_PATTERN)

/** Comma-separated values of 1 to 128 characters each. */
export const TEXT_LIST_PATTERN =
  '^[^,\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{1,128}(,[^,\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{1,128})*$'

/** Comma-separated values out of a closed set. */
export function listPattern(values: readonly string[]): string {
  const one = `(${values.map(escapePattern).join('|')})`
  return `^${one}(,${one})*$`
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/**
 * RFC 3339 with an offset, on a day that exists. Leap seconds are refused: neither JavaScript nor
 * PostgreSQL's `timestamptz` keeps them, so a filter with one would silently mean another instant.
 */
export function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value)
  if (match === null) return false
  return isDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

export function isDate(value: string): boolean {
  const match = DATE.exec(value)
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => UUID.test(value)

const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/

/** An address of valid form; only a sent mail shows whether it exists. */
export const isEmail = (value: string): boolean => value.length <= 254 && EMAIL.test(value)

/** Every format that a schema of this package names. A validator must know all of them. */
export type ContractFormat = 'uuid' | 'date-time' | 'date' | 'email' | 'trade-url'

type Check = (value: string) => boolean

/** The check behind each format, for the validator to register; the one spelling where there are several. */
export const contractFormats = (
  communityHost: string,
): Record<ContractFormat, Check | { validate: Check; canonical(value: string): string }> => ({
  uuid: isUuid,
  'date-time': isDateTime,
  date: isDate,
  email: isEmail,
  'trade-url': {
    validate: (value) => readTradeUrl(value, communityHost) !== null,
    canonical: (value) => readTradeUrl(value, communityHost)?.url ?? value,
  },
})

// Year 0 exists for JavaScript and not for PostgreSQL.
function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= (days[month - 1] ?? 0)
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
