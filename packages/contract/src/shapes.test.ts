import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import buildSerializer from 'fast-json-stringify'
import { type TSchema, Type } from 'typebox'
import { FailureEnvelope, successEnvelope } from './envelope.ts'
import { ERROR_KEYS, errorEntry } from './errors.ts'
import { webhookEnvelope } from './events/webhook.ts'
import { webhookEvents } from './events.ts'
import { merchantRouteList } from './routes.ts'
import { nullable, stringEnum } from './schema.ts'
import { sampleOf } from './testing/sample.ts'
import { compile } from './testing/validator.ts'

type SerializerSchema = Parameters<typeof buildSerializer>[0]

const serializer = (schema: TSchema): ((value: unknown) => string) =>
  buildSerializer(schema as SerializerSchema)

const ANSWERS: [string, TSchema][] = [
  ...merchantRouteList.map((route): [string, TSchema] => [
    route.id,
    successEnvelope(route.response),
  ]),
  ...Object.values(webhookEvents).map(({ type, data }): [string, TSchema] => [
    type,
    webhookEnvelope(type, data),
  ]),
  ['a failure', FailureEnvelope],
]

describe('every answer', () => {
  for (const [name, schema] of ANSWERS) {
    test(`of ${name} survives being serialised, full and bare`, () => {
      const serialize = serializer(schema)
      const accepts = compile(schema)
      for (const fullness of ['full', 'bare'] as const) {
        const sample = sampleOf(schema, fullness)
        assert.ok(accepts(sample), `the ${fullness} sample is no ${name}`)
        assert.deepEqual(JSON.parse(serialize(sample)), sample)
      }
    })
  }

  test('is written without a validator at run time', () => {
    for (const [name, schema] of ANSWERS) {
      const { code } = buildSerializer(schema as SerializerSchema, {
        mode: 'debug',
      }) as unknown as {
        code: string
      }
      assert.ok(!code.includes('getSchemaValidator('), name)
    }
  })
})

test('the check for a validator at run time sees one where a union needs it', () => {
  const slow = Type.Object({ a: Type.Union([Type.String(), Type.Null()]) })
  const { code } = buildSerializer(slow as SerializerSchema, { mode: 'debug' }) as unknown as {
    code: string
  }
  assert.ok(code.includes('getSchemaValidator('))
})

describe('nullable', () => {
  const cases: [string, TSchema, unknown][] = [
    ['text', Type.String(), ''],
    ['numbers', Type.Number(), 0],
    ['integers', Type.Integer(), 0],
    ['booleans', Type.Boolean(), false],
    ['times', Type.String({ format: 'date-time' }), '2026-11-21T09:30:00.000Z'],
    ['closed sets', stringEnum(['a', 'b']), 'b'],
    ['objects', Type.Object({ x: Type.Integer(), y: Type.Optional(Type.String()) }), { x: 1 }],
    ['lists', Type.Array(Type.Integer()), [1, 2]],
  ]
  for (const [name, inner, value] of cases) {
    test(`${name} are null or themselves, at the top, inside and optional`, () => {
      const shape = nullable(inner)
      const holder = Type.Object({ must: shape, may: Type.Optional(nullable(inner)) })
      for (const one of [value, null]) {
        assert.equal(serializer(shape)(one), JSON.stringify(one))
        for (const whole of [{ must: one }, { must: one, may: one }, { must: one, may: null }]) {
          assert.ok(compile(holder)(whole))
          assert.equal(serializer(holder)(whole), JSON.stringify(whole))
        }
      }
      assert.ok(!compile(holder)({}))
    })
  }

  test('refuses a schema without a single type, which it could not widen', () => {
    assert.throws(() => nullable(Type.Union([Type.String(), Type.Integer()])))
  })
})

test('what a shape does not know never reaches the wire', () => {
  for (const route of merchantRouteList) {
    const sample = sampleOf(route.response, 'bare')
    if (Array.isArray(sample)) continue
    const written = serializer(route.response)({ ...(sample as object), secretHash: 'x' })
    assert.ok(!written.includes('secretHash'), route.id)
  }
})

test('every error of the catalogue can be sent with its meta', () => {
  const serialize = serializer(FailureEnvelope)
  for (const key of ERROR_KEYS) {
    const { code, message, metaExample } = errorEntry(key)
    const failure = {
      requestId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
      success: false,
      error: { code, key, message, ...(metaExample === undefined ? {} : { meta: metaExample }) },
    }
    assert.deepEqual(JSON.parse(serialize(failure)), failure)
  }
})
