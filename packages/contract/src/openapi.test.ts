import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { validate } from '@scalar/openapi-parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { ERRORS, errorEntry } from './errors.ts'
import { webhookEvents } from './events.ts'
import { FIELD_WORDS } from './openapi/field-words.ts'
import { createShapeRegistry } from './openapi/shape-registry.ts'
import { openapiDocument } from './openapi.ts'
import { openapiDocuments } from './openapi-documents.ts'
import { contractFormats } from './patterns.ts'
import { merchantRouteList } from './routes.ts'
import { nullable, stringEnum } from './schema.ts'
import { COMMUNITY_HOST } from './testing/validator.ts'

const options = {
  routes: merchantRouteList,
  events: webhookEvents,
  errors: ERRORS,
  serverUrl: 'https://api.example.com',
}
// Read back from its JSON, as clients do.
const document = JSON.parse(JSON.stringify(openapiDocument(options)))

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await validate(JSON.stringify(document))
  assert.deepEqual(errors ?? [], [])
  assert.ok(valid)
})

test('the validator notices a document that is not', async () => {
  const broken = structuredClone(document)
  broken.paths['/market'].get.responses['200'] = { content: 5 }
  assert.ok(!(await validate(JSON.stringify(broken))).valid)
})

test('every document carries the number that the specification gives to the interface', () => {
  for (const [name, make] of Object.entries(openapiDocuments)) {
    assert.equal(make().info.version, '0.4.3', name)
  }
})

test('the same input gives the same bytes', () => {
  assert.equal(JSON.stringify(openapiDocument(options)), JSON.stringify(openapiDocument(options)))
})

test('every reference is defined, and every definition is referenced', () => {
  const references = new Set(
    [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]),
  )
  for (const reference of references) {
    const target = reference
      ?.split('/')
      .reduce((part, name) => part?.[name], document as Record<string, never> | undefined)
    assert.ok(target !== undefined, reference)
  }
  const { securitySchemes: _, ...components } = document.components
  for (const [kind, members] of Object.entries(components)) {
    for (const name of Object.keys(members as object)) {
      assert.ok(references.has(`components/${kind}/${name}`), `${kind}/${name}`)
    }
  }
})

test('every shared schema is valid JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false, formats: contractFormats(COMMUNITY_HOST) })
  ajv.addSchema({ $id: 'doc', components: document.components })
  for (const name of Object.keys(document.components.schemas)) {
    ajv.compile({ $ref: `doc#/components/schemas/${name}` })
  }
})

describe('every route', () => {
  const operations = merchantRouteList.map((route) => ({
    route,
    operation: document.paths[route.path]?.[route.method.toLowerCase()],
  }))

  test('is an operation under its own id', () => {
    for (const { route, operation } of operations) assert.equal(operation?.operationId, route.id)
  })
  test('documents a response for each of its refusals', () => {
    for (const { route, operation } of operations) {
      for (const key of route.refusals) {
        const reference: string = operation.responses[errorEntry(key).status].$ref
        const response = document.components.responses[reference.split('/').at(-1) ?? '']
        assert.ok(key in response.content['application/json'].examples, `${route.id}: ${key}`)
      }
    }
  })
  test('shows On-Behalf-Of exactly where it is accepted', () => {
    for (const { route, operation } of operations) {
      const shown = JSON.stringify(operation.parameters ?? []).includes('OnBehalfOf')
      assert.equal(shown, route.context === 'user', route.id)
    }
  })
  test('does not require a parameter that has a default', () => {
    for (const { route, operation } of operations) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.schema?.default !== undefined)
          assert.equal(parameter.required, false, route.id)
        if (parameter.in === 'path') assert.equal(parameter.required, true, route.id)
      }
    }
  })
})

describe('what an integrator reads of the merchant and the partner interface', () => {
  const documents = (['merchant', 'partner'] as const).map((name) => ({
    name,
    drawn: JSON.parse(JSON.stringify(openapiDocuments[name]?.())),
  }))

  test('says of every field what it means', () => {
    for (const { name, drawn } of documents) {
      for (const part of [drawn.components.schemas, drawn.paths, drawn.webhooks]) {
        assert.deepEqual(mutePropertiesIn(part, name), [])
      }
    }
  })
  test('shows an answer of every operation', () => {
    for (const { drawn } of documents) {
      for (const [path, methods] of Object.entries<Record<string, never>>(drawn.paths)) {
        for (const [method, { responses }] of Object.entries<{ responses: never }>(methods)) {
          const answer = responses['200'] as { content?: Record<string, object> } | undefined
          if (responses['101'] !== undefined) continue
          assert.ok('example' in (answer?.content?.['application/json'] ?? {}), `${method} ${path}`)
        }
      }
    }
  })
  test('has no sentence for a field that there is not', () => {
    const names = new Set(documents.flatMap(({ drawn }) => propertyNamesIn(drawn)))
    for (const words of Object.keys(FIELD_WORDS)) {
      assert.ok(names.has(words.split('.').at(-1) ?? ''), words)
    }
  })
})

/** Properties without a description, as `place.name`. An empty schema only repeats a name. */
function mutePropertiesIn(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === 'properties' && !place.endsWith('properties')
      ? Object.entries<Record<string, unknown>>(value)
          .filter(([, one]) => Object.keys(one).length > 0 && one.description === undefined)
          .map(([field]) => `${place}.${field}`)
      : []),
    ...(name === 'example' || name === 'examples'
      ? []
      : mutePropertiesIn(value, `${place}.${name}`)),
  ])
}

function propertyNamesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === 'properties' ? Object.keys(value) : []),
    ...propertyNamesIn(value),
  ])
}

test('every webhook event is documented with its body and headers', () => {
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(webhookEvents))
  for (const [type, { post }] of Object.entries<{ post: Record<string, never> }>(
    document.webhooks,
  )) {
    const names = (post.parameters as unknown as { name: string }[]).map(({ name }) => name)
    assert.deepEqual(names, ['User-Agent', 'Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'])
    assert.match(
      JSON.stringify(post.requestBody),
      /#\/components\/schemas\/(Trade|MarketOrder|Deposit|Payout|Service)\w+Event/,
      type,
    )
  }
})

describe('the registry of shapes', () => {
  test('writes a shape once, whether it may be null or not', () => {
    const shapes = createShapeRegistry()
    const Point = Type.Object({ x: Type.Integer() }, { title: 'Point' })
    const placed = shapes.place(Type.Object({ a: Point, b: nullable(Point) }))
    assert.deepEqual(placed.properties, {
      a: { $ref: '#/components/schemas/Point' },
      b: { anyOf: [{ $ref: '#/components/schemas/Point' }, { type: 'null' }] },
    })
    assert.deepEqual(shapes.components(), { Point: JSON.parse(JSON.stringify(Point)) })
  })
  test('keeps what a place says beside the reference', () => {
    const shapes = createShapeRegistry()
    const colour = { title: 'Colour', description: 'Of the door.', default: 'red' } as const
    assert.deepEqual(shapes.place(stringEnum(['red', 'blue'], colour)), {
      $ref: '#/components/schemas/Colour',
      description: 'Of the door.',
      default: 'red',
    })
  })
  test('refuses two shapes of one title', () => {
    const shapes = createShapeRegistry()
    shapes.place(Type.Object({ x: Type.Integer() }, { title: 'Point' }))
    const other = Type.Object({ y: Type.Integer() }, { title: 'Point' })
    assert.throws(() => shapes.place(other), /Point/)
  })
  test('is not fooled by a property that is called title', () => {
    const shapes = createShapeRegistry()
    const book = Type.Object({ title: Type.String(), chapters: Type.String() })
    assert.deepEqual(shapes.place(book), JSON.parse(JSON.stringify(book)))
    assert.deepEqual(shapes.components(), {})
  })
})
