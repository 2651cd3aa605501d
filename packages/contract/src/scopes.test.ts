import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PartnerRouteDefinition } from './partner-route.ts'
import type { RouteDefinition } from './route.ts'
import { merchantRouteList } from './routes.ts'
import { KEY_SCOPES, type ScopeOf } from './scopes.ts'

type Fits<Method extends string, Scope> = Scope extends ScopeOf<Method> ? true : false
type NeedsNoScope<Definition> = Omit<Definition, 'scope'> extends Definition ? true : false

test('a route without a scope, and a GET that is no read, do not compile', () => {
  const withoutScope: [NeedsNoScope<RouteDefinition>, NeedsNoScope<PartnerRouteDefinition>] = [
    false,
    false,
  ]
  const ofGet: [Fits<'GET', 'read'>, Fits<'GET', 'none'>, Fits<'GET', 'buy'>] = [true, true, false]
  const ofPost: [Fits<'POST', 'buy'>, Fits<'POST', 'read'>, Fits<'POST', 'none'>] = [
    true,
    true,
    false,
  ]
  assert.ok([withoutScope, ofGet, ofPost].every((proof) => proof.length > 0))
})

test('every scope is of a route, and what any key may know asks for none', () => {
  const used = new Set<string>(merchantRouteList.map(({ scope }) => scope))
  assert.deepEqual([...used].sort(), [...KEY_SCOPES, 'none'].sort())
  const open = merchantRouteList.filter(({ scope }) => scope === 'none').map(({ id }) => id)
  assert.deepEqual(open, ['getKey', 'getServiceStatus'])
})
