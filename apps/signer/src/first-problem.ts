import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** Where a value breaks its schema first, and how: `/transaction/nonce must be integer`. */
export function firstProblem(schema: TSchema, value: unknown): string {
  const [first] = Value.Errors(schema, value)
  const path = first?.instancePath || '/'
  // The validator's sentence for a field that the schema does not have.
  if (first?.message === 'schema is false') return `${path} is not a known field`
  return `${path} ${first?.message ?? 'is invalid'}`
}
