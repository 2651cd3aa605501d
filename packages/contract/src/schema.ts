// The few ways in which this package bends TypeBox. They exist because one schema serves four readers:
// the validator (Ajv), the serialiser (fast-json-stringify), the OpenAPI document and TypeScript.
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'

/**
 * A closed set of strings as `{type, enum}`. A union of literals would become `anyOf`, for which the
 * serialiser runs a validator per alternative; this form is written out like any string.
 */
export const stringEnum = <const Values extends readonly string[]>(
  values: Values,
  options: { title?: string; description?: string; default?: Values[number] } = {},
): TUnsafe<Values[number]> =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/**
 * The shape or null, as `type: [..., 'null']`. The serialiser answers it with one comparison, where
 * `anyOf: [shape, null]` (the form of `Type.Union`) costs a call of a validator for every value.
 */
export function nullable<Shape extends TSchema>(shape: Shape): TUnsafe<Static<Shape> | null> {
  const { type, enum: values, ...rest } = { ...shape } as { type?: unknown; enum?: unknown }
  if (typeof type !== 'string') throw new Error('nullable() needs a schema with one type')
  return Type.Unsafe<Static<Shape> | null>({
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  })
}

/** The same schema with a sentence of its own at this place. */
export const describe = <Shape extends TSchema>(shape: Shape, description: string): Shape =>
  withKeywords(shape, { description })

/** The same schema with an example that the reference shows at this place. */
export const withExample = <Shape extends TSchema>(shape: Shape, value: unknown): Shape =>
  withKeywords(shape, { examples: [value] })

/**
 * The same schema with a default. The field stays required for TypeScript, because a validator with
 * `useDefaults` (Fastify's way) fills it in before it looks for what is missing.
 */
export const withDefault = <Shape extends TSchema>(shape: Shape, value: Static<Shape>): Shape =>
  withKeywords(shape, { default: value })

// TypeBox keeps its marks (`~kind`, `~optional`) in properties that are not enumerable, so a spread
// would lose them.
const withKeywords = <Shape extends TSchema>(
  shape: Shape,
  keywords: Record<string, unknown>,
): Shape => {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(shape))
  return Object.assign(copy, keywords) as Shape
}
