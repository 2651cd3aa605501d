// Makes a value of a schema: with everything that it may have, or with nothing that it need not have.
import type { TSchema } from 'typebox'

export type Fullness = 'full' | 'bare'

interface PlainSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly minItems?: number
  readonly items?: TSchema
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
  'date-time': '2026-11-21T09:30:00.000Z',
  date: '2026-11-21',
  email: 'ada@example.com',
  'trade-url': 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00',
}

export function sampleOf(schema: TSchema, fullness: Fullness): unknown {
  const plain: PlainSchema = schema
  const orNull = Array.isArray(plain.type) && plain.type.includes('null')
  if (orNull && fullness === 'bare') return null
  if ('const' in plain) return plain.const
  if (plain.enum !== undefined) return plain.enum[0]
  // The example of an object leaves out what a sample of it has to show.
  if (plain.examples !== undefined && plain.properties === undefined) return plain.examples[0]
  const type = typeof plain.type === 'string' ? plain.type : plain.type?.find((t) => t !== 'null')
  return ofType(type, plain, fullness)
}

function ofType(type: string | undefined, schema: PlainSchema, fullness: Fullness): unknown {
  switch (type) {
    case 'object':
      return objectOf(schema, fullness)
    case 'array':
      return arrayOf(schema, fullness)
    case 'string':
      return schema.format === undefined ? 'Ünïcode "quoted" \\ text ★' : BY_FORMAT[schema.format]
    case 'integer':
      return Math.max(schema.minimum ?? 0, 7)
    case 'number':
      return schema.minimum ?? 12.34
    case 'boolean':
      return fullness === 'full'
    default:
      throw new Error(`A sample of ${JSON.stringify(schema)} is not known`)
  }
}

function objectOf(schema: PlainSchema, fullness: Fullness): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([name]) => fullness === 'full' || schema.required?.includes(name),
  )
  return Object.fromEntries(properties.map(([name, part]) => [name, sampleOf(part, fullness)]))
}

function arrayOf(schema: PlainSchema, fullness: Fullness): unknown[] {
  if (schema.items === undefined) return []
  const length = Math.max(schema.minItems ?? 0, fullness === 'full' ? 1 : 0)
  return Array.from({ length }, () => sampleOf(schema.items as TSchema, fullness))
}
