// Reads what suppliers send. Their types vary: numbers come as strings, ids as numbers, `false` where
// an object belongs. Every function here answers null for what it cannot use and never throws.
import { type Mills, mills } from '#kernel/money'
import { plainOf } from '#kernel/text'

export type Fields = Readonly<Record<string, unknown>>

/** The parsed text, or undefined when it is no JSON (an HTML page with status 200, a cut answer). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * The object that an answer states; null unless it was served. Both markets answer every call that they
 * have looked at with status 200, refusals too: what comes with another is of a gate or a proxy before them.
 */
export const servedOf = (answer: {
  readonly status: number
  readonly body: unknown
}): Fields | null => (answer.status === 200 ? fieldsOf(answer.body) : null)

/** An object that is not an array; PHP sends `[]` and `false` where it has none. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

/** What suppliers send where there is nothing: no field, null, "", false, 0 or PHP's empty list. */
export const isNone = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  flagOf(value) === false ||
  listOf(value)?.length === 0

export const listOf = (value: unknown): readonly unknown[] | null =>
  Array.isArray(value) ? value : null

/** An own property: a key such as `constructor` must not find what JavaScript put there. */
export const own = (fields: Fields, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined

/**
 * Text that says something, as PostgreSQL takes it: a text that cannot be kept would keep what it stands
 * beside, such as a reversal, from being kept too. Numbers are spelled out.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : plainOf(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

const DIGITS = /^-?\d{1,18}$/

/** A whole number, as a number or as digits. Numbers that JSON has already rounded are refused. */
export function integerOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  if (typeof value !== 'string') return null
  const digits = value.trim()
  return DIGITS.test(digits) ? BigInt(digits) : null
}

/** A whole number small enough to count with. */
export function smallIntegerOf(value: unknown): number | null {
  const integer = integerOf(value)
  return integer !== null && integer >= -2_147_483_648n && integer <= 2_147_483_647n
    ? Number(integer)
    : null
}

/** A share in percent; null for what is none. A fraction of one is cut off. */
export function percentOf(value: unknown): number | null {
  const percent = Number(textOf(value)?.trim() || Number.NaN)
  return percent >= 0 && percent <= 100 ? Math.floor(percent) : null
}

/** A positive id as decimal text; 0, "0", false and null all mean "none". */
export function idOf(value: unknown): string | null {
  const integer = integerOf(value)
  return integer !== null && integer > 0n ? integer.toString() : null
}

/** True, false, or null where it is neither; suppliers also send 1, "1" and "true". */
export function flagOf(value: unknown): boolean | null {
  if (value === true || value === 1 || value === '1' || value === 'true') return true
  if (value === false || value === 0 || value === '0' || value === 'false') return false
  return null
}

/** Nothing that is traded costs ten million dollars: beyond that a price is wrong, or in another unit. */
const MOST_MILLS = 10_000_000_000n

/** A price in thousandths of a dollar, above zero. */
export function priceOf(value: unknown): Mills | null {
  const integer = integerOf(value)
  return integer !== null && integer > 0n && integer <= MOST_MILLS ? mills(integer) : null
}

const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,20}))?$/

/**
 * A decimal amount in whole dollars, exactly in mills. An amount finer than a mill is null: this
 * function does not round. A JSON number is read in its shortest spelling (0.54), not in its binary value.
 */
export function millsOfDecimal(value: unknown): Mills | null {
  const spelled = textOf(value)?.trim()
  const match = spelled === undefined ? null : DECIMAL.exec(spelled)
  if (!match) return null
  const [, sign, whole = '0', fraction = ''] = match
  const thousandths = fraction.slice(0, 3).padEnd(3, '0')
  if (/[1-9]/.test(fraction.slice(3))) return null
  const amount = BigInt(whole) * 1000n + BigInt(thousandths)
  return mills(sign === '-' ? -amount : amount)
}

/** A number without an exponent: 0.0000001 and not 1e-7. */
export function decimalText(value: number): string {
  const spelled = String(value)
  return spelled.includes('e') ? value.toFixed(20).replace(/0+$/, '') : spelled
}

/** Decimal text of a wear value above 0 and up to 1, as the market spelled it; null for anything else. */
export function wearOf(value: unknown): string | null {
  const spelled = typeof value === 'number' ? decimalText(value) : textOf(value)?.trim()
  if (spelled === undefined || !/^(0|1)(\.\d{1,30})?$/.test(spelled)) return null
  const wear = Number(spelled)
  return wear > 0 && wear <= 1 ? spelled : null
}

/** The address of a picture, or the platform's bare hash of one; empty for anything else. */
export function pictureOf(value: unknown): string {
  const spelled = textOf(value) ?? ''
  const isPicture = /^(https?:\/\/[^\s"'<>]+|[\w-]+)$/.test(spelled)
  return isPicture && spelled.length <= 2048 ? spelled : ''
}
