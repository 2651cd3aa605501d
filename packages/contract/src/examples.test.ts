import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { requestExample, valueExample } from './examples.ts'
import type { Route } from './route.ts'
import { merchantRouteList } from './routes.ts'
import { compile } from './testing/validator.ts'

const parametersOf = (schema: TSchema | undefined): [string, TSchema][] =>
  Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {})

const partsOf = ({ params, query, headers, body }: Route) => ({ params, query, headers, body })

test('the example of every route is a correct request', () => {
  for (const route of merchantRouteList) {
    const example = requestExample(route)
    for (const [part, schema] of Object.entries(partsOf(route))) {
      if (schema === undefined) continue
      const value = structuredClone(example[part as keyof typeof example])
      assert.ok(compile(schema)(value), `${route.id}: ${part} ${JSON.stringify(value)}`)
    }
  }
})

test('every parameter has an example that its schema accepts', () => {
  for (const { id, params, query, headers } of merchantRouteList) {
    for (const [name, schema] of [params, query, headers].flatMap(parametersOf)) {
      const value = valueExample(schema)
      assert.ok(value !== undefined, `${id}: ${name} has no example`)
      assert.ok(compile(Type.Object({ value: schema }))({ value }), `${id}: ${name}`)
    }
  }
})

test('every example and default within a body is accepted where it stands', () => {
  const check = (schema: TSchema, at: string): void => {
    const {
      examples = [],
      properties = {},
      items,
    } = schema as {
      examples?: unknown[]
      properties?: Record<string, TSchema>
      items?: TSchema
    }
    for (const value of examples) {
      assert.ok(compile(Type.Object({ value: schema }))({ value: structuredClone(value) }), at)
    }
    for (const [name, part] of Object.entries(properties)) check(part, `${at}.${name}`)
    if (items !== undefined) check(items, `${at}[]`)
  }
  for (const { id, body } of merchantRouteList) if (body !== undefined) check(body, id)
})
