// Writes an answer as JSON by the functions that are compiled from its schema; a list of many entries in
// pieces, between which other requests are served.
import fastJsonStringify from 'fast-json-stringify'
import { mapInChunks } from '#infra/limits/in-chunks'

/** The text at once, or for a long list later. */
export type Serializer = (answer: unknown) => string | Promise<string>

/** An entry may be a trade with a hundred items: half a millisecond. */
const ENTRIES_A_TURN = 10

export function createSerializer(schema: object): Serializer {
  const whole = fastJsonStringify(schema)
  const list = listOf(schema)
  if (list === null) return whole
  const entry = fastJsonStringify(list.entry)
  const empty = `"${list.name}":[]`

  return (answer) => {
    const entries = (answer as Readonly<Record<string, readonly unknown[]>>)[list.name] ?? []
    if (entries.length <= ENTRIES_A_TURN) return whole(answer)
    // Whatever else it has are scalars: no other place of the text reads like the empty list.
    const around = whole({ ...(answer as object), [list.name]: [] })
    const from = around.indexOf(empty) + empty.length - 1
    return mapInChunks(entries, ENTRIES_A_TURN, entry).then(
      (texts) => `${around.slice(0, from)}${texts.join(',')}${around.slice(from)}`,
    )
  }
}

/** What is looked at of a JSON Schema. */
interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** The list of an answer that is a list with scalars beside it, as cursors and counts; null for others. */
function listOf({ type, properties = {} }: Schema): { name: string; entry: object } | null {
  const [list, ...more] = Object.entries(properties).filter(([, property]) => !isScalar(property))
  if (type !== 'object' || list === undefined || more.length > 0) return null
  const [name, { type: kind, items: entry }] = list
  return kind === 'array' && entry !== undefined ? { name, entry } : null
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean', 'null'])

const isScalar = ({ type, anyOf }: Schema): boolean =>
  anyOf === undefined ? SCALARS.has(type ?? '') : anyOf.every(isScalar)
