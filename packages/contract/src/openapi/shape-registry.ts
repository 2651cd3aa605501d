// Takes titled shapes out of a schema and leaves references to them, so that each is written once.
import type { TSchema } from 'typebox'
import { FIELD_WORDS } from './field-words.ts'

export interface JsonObject {
  [key: string]: unknown
}

export interface ShapeRegistry {
  /** The schema as plain JSON, with every titled shape in it replaced by a reference. */
  place(schema: TSchema): JsonObject
  /** All shapes that were met, by title. */
  components(): JsonObject
}

export function createShapeRegistry(): ShapeRegistry {
  const shapes = new Map<string, JsonObject>()
  return {
    // TypeBox's own marks are not enumerable, so that JSON leaves them behind.
    place: (schema) => placeSchema(JSON.parse(JSON.stringify(schema)) as JsonObject, shapes),
    components: () =>
      Object.fromEntries([...shapes].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

function placeSchema(schema: JsonObject, shapes: Map<string, JsonObject>): JsonObject {
  const placed = placeParts(schema, shapes)
  const { title } = placed
  if (typeof title !== 'string') return placed
  const { shape, beside, orNull } = separate(placed)
  remember(title, shape, shapes)
  const reference = { $ref: `#/components/schemas/${title}` }
  return orNull ? { anyOf: [reference, { type: 'null' }], ...beside } : { ...reference, ...beside }
}

/** The same with the schemas inside it placed. */
function placeParts(schema: JsonObject, shapes: Map<string, JsonObject>): JsonObject {
  const placed: JsonObject = { ...schema }
  for (const [keyword, part] of Object.entries(schema)) {
    if (keyword === 'properties') {
      placed[keyword] = placeEach(part as JsonObject, shapes, schema.title)
    } else if (ONE_SCHEMA.has(keyword) && isObject(part))
      placed[keyword] = placeSchema(part, shapes)
    else if (MANY_SCHEMAS.has(keyword) && Array.isArray(part)) {
      placed[keyword] = part.map((one: JsonObject) => placeSchema(one, shapes))
    }
  }
  return placed
}

const ONE_SCHEMA: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const MANY_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

const placeEach = (
  properties: JsonObject,
  shapes: Map<string, JsonObject>,
  title: unknown,
): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, part]) => {
      const placed = placeSchema(part as JsonObject, shapes)
      const words = FIELD_WORDS[`${title}.${name}`] ?? FIELD_WORDS[name]
      return [
        name,
        isMute(placed) && words !== undefined ? { ...placed, description: words } : placed,
      ]
    }),
  )

/** Says nothing of itself. An empty schema only names a field that another one describes. */
const isMute = (placed: JsonObject): boolean =>
  Object.keys(placed).length > 0 && placed.description === undefined

/** What belongs to the shape, what was said at this place only, and whether null is welcome here. */
function separate(schema: JsonObject): {
  shape: JsonObject
  beside: JsonObject
  orNull: boolean
} {
  const { type, enum: values, default: initial, description, ...rest } = schema
  const orNull = Array.isArray(type) && type.includes('null')
  // A sentence on an enumeration says what the field means; one on an object, what the object is.
  const ofPlace = Array.isArray(values) && description !== undefined
  return {
    shape: {
      type: orNull ? type.find((one) => one !== 'null') : type,
      ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
      ...(description === undefined || ofPlace ? {} : { description }),
      ...rest,
    },
    beside: {
      ...(ofPlace ? { description } : {}),
      ...(initial === undefined ? {} : { default: initial }),
    },
    orNull,
  }
}

function remember(title: string, shape: JsonObject, shapes: Map<string, JsonObject>): void {
  const known = shapes.get(title)
  if (known === undefined) shapes.set(title, shape)
  else if (JSON.stringify(known) !== JSON.stringify(shape)) {
    throw new Error(`Two different shapes are titled ${title}`)
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
