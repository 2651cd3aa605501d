// Whatever is sent to any route is answered in the envelope, with a key of the catalogue, never with 500,
// and without internals. Afterwards the service works as before.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  merchantRouteList,
  partnerRouteList,
  type RouteBase,
  requestExample,
  valueExample,
} from '@tradepost/contract'
import type { TSchema } from 'typebox'
import { compile } from '../../packages/contract/src/testing/validator.ts'
import {
  brokenBodies,
  type HostileRequest,
  pathOf,
  wrongFields,
  wrongHeaders,
  wrongPaths,
  wrongQueries,
} from '../support/hostile.ts'
import {
  checkAnswer,
  checkAnswerOf,
  createRawClient,
  type RawAnswer,
  type RawClient,
} from '../support/raw-requests.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { aBuyer, buyNext, stock, untilEnded } from '../support/trading.ts'

let stack: Stack
let client: RawClient

before(async () => {
  stack = await shareStack()
  client = createRawClient({
    baseUrl: stack.merchant.baseUrl,
    merchantKey: stack.merchant.apiKey,
    partnerKey: stack.demo.partner.apiKey,
  })
  await aBuyer(stack.merchant, 'absent', '1.00')
})
after(async () => {
  client?.close()
  await stack.close()
})

const routes: readonly RouteBase[] = [...merchantRouteList, ...partnerRouteList]

const AT_ONCE = 8

/** Sends all of them, some at a time, and says which one it was when an answer is wrong. */
async function sendAll(
  method: string,
  requests: readonly HostileRequest[],
  check: (answer: RawAnswer, request: HostileRequest) => void,
): Promise<void> {
  const waiting = [...requests]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      let answer: RawAnswer | undefined
      try {
        answer = await client.send(method, next)
        check(answer, next)
      } catch (error) {
        const said = answer ? `${answer.status} ${answer.text.slice(0, 600)}` : 'no answer'
        throw new Error(`${next.what}: ${(error as Error).message.split('\n')[0]}: ${said}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** As the reference shows it: every body that it offers, and each optional parameter in turn. */
function exampleRequests(route: RouteBase): HostileRequest[] {
  const { params, query, headers } = requestExample(route)
  const path = pathOf(route, params as Record<string, string>)
  const optional = Object.entries(
    (route.query as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {},
  )
    .filter(([name]) => !NOT_ALONE.includes(name))
    .map(([name, schema]) => ({ ...query, [name]: valueExample(schema) }))
  const bodies = route.body === undefined ? [undefined] : bodyExamples(route.body)
  return [query, ...optional].flatMap((parameters) =>
    bodies.map((body) => {
      const text = new URLSearchParams(parameters as Record<string, string>).toString()
      return {
        what: `${text} ${JSON.stringify(body)}`,
        path: text === '' ? path : `${path}?${text}`,
        headers: {
          ...(headers as Record<string, string>),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }
    }),
  )
}

/** A request without any key. */
async function bare(route: RouteBase, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(`${stack.demo.baseUrl}${pathOf(route)}`, {
    method: route.method,
    headers,
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** A cursor is taken from an answer; to wait needs the event after which, `since` a whole list. */
const NOT_ALONE = ['cursor', 'wait', 'since']

const bodyExamples = (body: TSchema): readonly unknown[] =>
  (body as { examples?: unknown[] }).examples ?? [valueExample(body)]

for (const route of routes) {
  const path = pathOf(route)

  describe(`${route.method} ${route.path}`, () => {
    it('finds the form of its own examples right', () =>
      sendAll(route.method, exampleRequests(route), (answer) => {
        const key = checkAnswerOf(route, answer)
        assert.ok(key !== 'VALIDATION_FAILED' && key !== 'BAD_REQUEST', `${key}`)
      }))

    if (route.method !== 'GET' && route.method !== 'DELETE') {
      it('refuses a body that cannot be read, or is no object', () =>
        sendAll(route.method, brokenBodies(path), (answer) => {
          const key = checkAnswerOf(route, answer)
          assert.ok(key === 'BAD_REQUEST' || key === 'VALIDATION_FAILED', `${key}`)
        }))
    } else {
      it('takes no body', () =>
        sendAll(route.method, brokenBodies(path), (answer) => {
          checkAnswer(answer)
        }))
    }

    if (route.body) {
      it('refuses each field that has not its documented shape', () => {
        const conforms = compile(route.body as object)
        const needsKey = route.headers !== undefined
        const requests = wrongFields(route, path).map((wrong, i) => ({
          ...wrong,
          headers: { ...wrong.headers, ...(needsKey ? { 'idempotency-key': `field-${i}` } : {}) },
        }))
        return sendAll(route.method, requests, (answer, { meant }) => {
          const key = checkAnswerOf(route, answer)
          // A repeated or special name may vanish in a parser; what is left must then conform.
          if (meant?.value !== undefined && !conforms(meant.value)) {
            assert.equal(key, 'VALIDATION_FAILED')
          }
        })
      })
    }

    it('refuses unknown, repeated and malformed query parameters', () =>
      sendAll(route.method, wrongQueries(route, path), (answer, { what }) => {
        const key = checkAnswer(answer)
        if (what.startsWith('?unknownParameter') || what.endsWith(' twice')) {
          const isRefused = key === 'VALIDATION_FAILED' || key === 'BAD_REQUEST'
          assert.ok(isRefused, `${key}`)
        }
      }))

    if (route.path.includes('{')) {
      it('finds nothing behind a strange path', () =>
        sendAll(route.method, wrongPaths(route), (answer) => {
          const key = checkAnswer(answer)
          // A sub-user may be called anything, and by now some are.
          if (!route.path.startsWith('/merchant/users/')) assert.notEqual(key, null)
        }))
    }

    it('survives strange headers', () =>
      sendAll(route.method, wrongHeaders(path), (answer) => {
        checkAnswer(answer)
      }))
  })
}

describe('elsewhere', () => {
  it('a session of the dashboard opens nothing of the merchant and partner interfaces', async () => {
    const { baseUrl, merchant, admin } = stack.demo
    for (const { email, password } of [merchant, admin]) {
      const login = await fetch(`${baseUrl}/dashboard/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
      assert.equal(login.status, 200)
      const [cookie = ''] = (login.headers.getSetCookie()[0] ?? '').split(';', 1)
      const { csrfToken } = ((await login.json()) as { data: { csrfToken: string } }).data
      for (const route of routes.filter(({ keyless }) => !keyless)) {
        const { status, headers, text } = await bare(route, { cookie, 'x-csrf-token': csrfToken })
        const { error } = JSON.parse(text) as { error?: { key: string } }
        const name = `${route.method} ${route.path}`
        assert.deepEqual([status, error?.key], [401, 'MISSING_API_KEY'], name)
        assert.equal(headers.get('set-cookie'), null, name)
      }
    }
  })

  it('every other method of every path is not found, or is the dashboard’s', async () => {
    for (const path of new Set(routes.map((route) => pathOf(route)))) {
      // `/merchant/trades/lookup` also fits the path of one trade, whose id would be no id.
      const fits = (route: RouteBase): boolean =>
        new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
      const known = routes.filter(fits).map(({ method }) => method as string)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        if (known.includes(method)) continue
        await sendAll(method, [{ what: `${method} ${path}`, path }], (answer) => {
          const key = checkAnswer(answer)
          assert.ok(key === 'NOT_FOUND' || key === 'FORBIDDEN', `${key}`)
        })
      }
    }
  })

  it('strange paths are not found', () =>
    sendAll(
      'GET',
      [
        '//',
        '/../../etc/passwd',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/market/%00',
        '/market/%zz',
        '/merchant/users/%',
        '/MERCHANT',
        '/merchant/',
        '/merchant//users',
        '/market/search/',
        '/__proto__',
        '/constructor',
        `/${'a/'.repeat(2000)}`,
        `/${'x'.repeat(8000)}`,
        '/merchant;id=1',
        '/merchant%3Fx=1',
        '/.env',
        '/.git/config',
      ].map((path) => ({ what: path.slice(0, 60), path })),
      (answer) => {
        const key = checkAnswer(answer)
        assert.ok(['NOT_FOUND', 'BAD_REQUEST', 'VALIDATION_FAILED'].includes(key ?? ''), `${key}`)
      },
    ))
})

describe('after all of this', () => {
  it('a purchase goes through as before, and the books are clean', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'afterwards')
    const supply = await stock(control, 'market_a')
    const { receipt } = await buyNext(merchant, { market: 'market_a', supply, behalf })
    assert.equal((await untilEnded(merchant, receipt.id)).status, 'completed')
    await stack.auditBooks()
  })
})
