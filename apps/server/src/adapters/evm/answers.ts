// Readers of what a node answers. A node is another party: a value of another form is not repaired, and the
// address that sent it counts as failed.
import type { Address, Hex } from '#kernel/chain'

/** What a node sent is not what its protocol says. */
export class InvalidAnswer extends Error {}

export type Fields = Readonly<Record<string, unknown>>

export function fields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new InvalidAnswer(`${what} is not an object`)
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidAnswer(`${what} is not a list`)
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const DATA = /^0x(?:[0-9a-f]{2})*$/i
const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i

/** A number as JSON-RPC spells it. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value)
  throw new InvalidAnswer(`${what} is not a quantity`)
}

export function smallQuantity(value: unknown, what: string): number {
  const number = quantity(value, what)
  if (number <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(number)
  throw new InvalidAnswer(`${what} is too large`)
}

export function data(value: unknown, what: string): `0x${string}` {
  return matching(value, DATA, what)
}

export const hash = (value: unknown, what: string): Hex => matching(value, HASH, what)

export const address = (value: unknown, what: string): Address => matching(value, ADDRESS, what)

/** In lower case. */
function matching(value: unknown, form: RegExp, what: string): `0x${string}` {
  if (typeof value === 'string' && form.test(value)) return value.toLowerCase() as `0x${string}`
  throw new InvalidAnswer(`${what} has another form`)
}

/** Null stays null: the node has no such thing. */
export const orNull =
  <Value>(read: (value: unknown) => Value) =>
  (value: unknown): Value | null =>
    value === null || value === undefined ? null : read(value)
