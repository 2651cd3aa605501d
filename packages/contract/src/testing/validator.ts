// The validator as the server sets it up, for tests.
import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { contractFormats } from '../patterns.ts'

export const COMMUNITY_HOST = 'steamcommunity.com'

/** `strict` makes a keyword or format that the validator would silently skip an error. */
export function compile(schema: TSchema, { coerce = false } = {}): (value: unknown) => boolean {
  const ajv = new Ajv({
    strict: true,
    useDefaults: true,
    removeAdditional: false,
    coerceTypes: coerce,
    formats: contractFormats(COMMUNITY_HOST),
  })
  const validate = ajv.compile(schema)
  return (value) => validate(value) === true
}
