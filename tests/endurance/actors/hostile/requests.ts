// An endless row of hostile requests of every route of both documents: the lists of hostile.ts in random
// order, and correct examples with random values in random places.

import {
  merchantRouteList,
  partnerRouteList,
  type RouteBase,
  requestExample,
} from '@tradepost/contract'
import { sampleOf } from '../../../../packages/contract/src/testing/sample.ts'
import {
  brokenBodies,
  type HostileRequest,
  pathOf,
  wrongFields,
  wrongHeaders,
  wrongPaths,
  wrongQueries,
} from '../../../support/hostile.ts'
import { type Dice, pickWith } from '../../dice.ts'

export interface RouteRequest {
  readonly route: RouteBase
  readonly request: HostileRequest
  /** The request reaches its route, which then answers what it documents. */
  readonly isRouted: boolean
}

const ROUTES: readonly RouteBase[] = [...merchantRouteList, ...partnerRouteList]
const BROKEN = brokenBodies('')
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/** `ids` are values that exist, by the name of the parameter: a hostile caller knows some. */
export function createRequests(
  throwDice: Dice,
  ids: Readonly<Record<string, readonly string[]>>,
): () => RouteRequest {
  const pick = pickWith(throwDice)
  const listed = new Map<RouteBase, readonly HostileRequest[]>()
  const listOf = (route: RouteBase): readonly HostileRequest[] => {
    const known = listed.get(route)
    if (known) return known
    const path = pathOf(route)
    const list = [...wrongQueries(route, path), ...wrongPaths(route), ...wrongHeaders(path)]
    listed.set(route, list)
    return list
  }
  const pathWithIds = (route: RouteBase): string => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const known = names.flatMap((name) => {
      const values = ids[name]
      return values && values.length > 0 ? [[name, encodeURIComponent(pick(values))]] : []
    })
    return pathOf(route, Object.fromEntries(known) as Record<string, string>)
  }
  const mutated = (route: RouteBase): HostileRequest => {
    const { query, headers, body } = requestExample(route)
    const parameters = Object.entries((query ?? {}) as Record<string, string>).map(
      ([name, value]): [string, string] => [
        name,
        throwDice() < 0.3 ? String(randomText(throwDice)) : String(value),
      ],
    )
    const whole = throwDice() < 0.5 && route.body ? sampleOf(route.body, 'full') : body
    let sent: unknown = structuredClone(whole)
    for (let i = Math.floor(throwDice() * 4); i > 0; i--) sent = mutate(sent, throwDice)
    const search = new URLSearchParams(parameters).toString()
    return {
      what: `${search} ${JSON.stringify(sent)?.slice(0, 300)}`,
      path: `${pathWithIds(route)}${search === '' ? '' : `?${search}`}`,
      headers: {
        ...(headers as Record<string, string>),
        ...(route.body ? { 'content-type': 'application/json' } : {}),
        ...(throwDice() < 0.3
          ? { 'on-behalf-of': pick(ids.id?.length ? ids.id : ['absent']) }
          : {}),
        ...(throwDice() < 0.3 ? { 'idempotency-key': `k-${Math.floor(throwDice() * 40)}` } : {}),
      },
      ...(route.body ? { body: JSON.stringify(sent) ?? 'null' } : {}),
    }
  }
  return () => {
    const route = pick(ROUTES)
    const dice = throwDice()
    if (dice < 0.5) return { route, request: mutated(route), isRouted: true }
    if (dice < 0.6 && METHODS_WITH_BODY.includes(route.method)) {
      return { route, request: { ...pick(BROKEN), path: pathWithIds(route) }, isRouted: true }
    }
    if (dice < 0.8 && route.body) {
      return { route, request: pick(wrongFields(route, pathWithIds(route))), isRouted: true }
    }
    return { route, request: pick(listOf(route)), isRouted: false }
  }
}

/** Another value at one random place; objects may lose a field or get one more. */
function mutate(value: unknown, throwDice: Dice): unknown {
  if (typeof value !== 'object' || value === null || throwDice() < 0.1)
    return randomValue(throwDice)
  if (Array.isArray(value)) {
    if (throwDice() < 0.2) return Array.from({ length: 60 }, () => value[0])
    const at = Math.floor(throwDice() * value.length)
    return value.map((part, i) => (i === at ? mutate(part, throwDice) : part))
  }
  const entries = Object.entries(value)
  const at = Math.floor(throwDice() * entries.length)
  if (throwDice() < 0.1) return Object.fromEntries(entries.filter((_, i) => i !== at))
  if (throwDice() < 0.05) return { ...value, [randomText(throwDice)]: 1 }
  return Object.fromEntries(
    entries.map(([name, part], i) => [name, i === at ? mutate(part, throwDice) : part]),
  )
}

const TEXTS = [
  '',
  '0',
  '0.01',
  '0.1',
  '1',
  '00',
  '1.00',
  '999999.99',
  '1000000.00',
  '92233720368547758.07',
  '-0.00',
  'market_a:1',
  'market_b:1',
  'market_a:',
  ':',
  'market_c:1',
  'accept00',
  'EUR',
  'USD',
  'usd',
  'standard',
  'https://steamcommunity.com/tradeoffer/new/?partner=0&token=accept00',
  'https://steamcommunity.com/tradeoffer/new/?partner=4294967296&token=accept00',
  'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00&x=1#y',
  'https://steamcommunity.com.evil.example/tradeoffer/new/?partner=1&token=accept00',
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  '2026-11-22T00:00:00Z',
  '275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2026-11-22T24:00:00+99:99',
  'İstanbul',
  'ﬀ',
  'e\u0301',
  '\u0000',
  '\ud83d',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x0000000000000000000000000000000000000000',
  '%',
  '_',
  '\\',
] as const
const NUMBERS = [0, -0, -1, 1, 0.1, 0.005, 1.005, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]

function randomText(throwDice: Dice): string {
  if (throwDice() < 0.7) return TEXTS[Math.floor(throwDice() * TEXTS.length)] as string
  const length = Math.floor(throwDice() ** 3 * 300)
  return Array.from({ length }, () =>
    String.fromCharCode(Math.floor(throwDice() ** 4 * 65_536)),
  ).join('')
}

function randomValue(throwDice: Dice): unknown {
  const dice = throwDice()
  if (dice < 0.55) return randomText(throwDice)
  if (dice < 0.8) return NUMBERS[Math.floor(throwDice() * NUMBERS.length)]
  if (dice < 0.85) return null
  if (dice < 0.9) return throwDice() < 0.5
  if (dice < 0.95) return [randomText(throwDice)]
  return { [randomText(throwDice)]: randomText(throwDice) }
}
