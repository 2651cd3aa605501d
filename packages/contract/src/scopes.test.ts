import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { defineRoute } from './route.ts'
import { merchantRouteList } from './routes.ts'
import { KEY_SCOPES } from './scopes.ts'

const ROUTE = {
  id: 'x',
  path: '/x',
  context: 'user',
  tag: 'Market',
  summary: '',
  description: '',
  response: Type.Object({}),
  status: 200,
  cost: 1,
  refusals: [],
} as const

test('a route without a scope, and a GET that is no read, do not compile', () => {
  // @ts-expect-error: no scope
  defineRoute({ ...ROUTE, method: 'POST' })
  // @ts-expect-error: a GET is a read
  defineRoute({ ...ROUTE, method: 'GET', scope: 'buy' })
  assert.equal(defineRoute({ ...ROUTE, method: 'GET', scope: 'read' }).scope, 'read')
})

test('every scope is of a route, and one route alone asks for none', () => {
  const used = new Set<string>(merchantRouteList.map(({ scope }) => scope))
  assert.deepEqual([...used].sort(), [...KEY_SCOPES, 'none'].sort())
  const open = merchantRouteList.filter(({ scope }) => scope === 'none').map(({ id }) => id)
  assert.deepEqual(open, ['getKey'])
})
