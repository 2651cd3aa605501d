// Whatever is sent to any route is answered in the envelope, with a key of the catalogue, never with 500,
// and without internals. Afterwards the service works as before.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import {
  API_KEY_HEADER,
  errorEntry,
  FailureEnvelope,
  isErrorKey,
  merchantRouteList,
  PARTNER_KEY_HEADER,
  partnerRouteList,
  type RouteBase,
  requestExample,
  valueExample,
} from '@tradepost/contract'
import type { TSchema } from 'typebox'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { compile } from '../../packages/contract/src/testing/validator.ts'
import { successOf } from '../support/client.ts'
import {
  brokenBodies,
  type HostileRequest,
  MARKER,
  pathOf,
  wrongFields,
  wrongHeaders,
  wrongPaths,
  wrongQueries,
} from '../support/hostile.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { aBuyer, buyNext, stock, untilEnded } from '../support/trading.ts'

let stack: Stack
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }))
  await aBuyer(stack.merchant, 'absent', '1.00')
})
after(async () => {
  agent.destroy()
  await stack.close()
})

interface RawAnswer {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

const DEADLINE_MS = 15_000

const routes: readonly RouteBase[] = [...merchantRouteList, ...partnerRouteList]

const keyFor = (path: string): Record<string, string> =>
  /^\/v[12]\//.test(path)
    ? { [PARTNER_KEY_HEADER]: stack.demo.partner.apiKey }
    : { [API_KEY_HEADER]: stack.merchant.apiKey }

/** Sends the bytes as they are: a correct client would repair them first. */
function send(method: string, { path, headers, body }: HostileRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(stack.merchant.baseUrl)
    const sending = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: {
          ...keyFor(path),
          ...headers,
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
        timeout: DEADLINE_MS,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            requestId: String(response.headers['x-request-id']),
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    sending.on('timeout', () => sending.destroy(new Error(`no answer within ${DEADLINE_MS} ms`)))
    sending.on('error', reject)
    sending.end(body)
  })
}

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
        answer = await send(method, next)
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

/** A cursor is taken from an answer; to wait needs the event after which. */
const NOT_ALONE = ['cursor', 'wait']

const bodyExamples = (body: TSchema): readonly unknown[] =>
  (body as { examples?: unknown[] }).examples ?? [valueExample(body)]

const isFailure = compile(FailureEnvelope)
const INSIDES = [
  /\bselect\b.+\bfrom\b|\binsert into\b|\bdelete from\b|\$\d+::|pg_|syntax error at/i,
  /violates|constraint|relation "|column "|sqlstate|deadlock/i,
  /\.ts:\d+|\.js:\d+|node_modules|node:internal|\bat (async )?[\w.]+ \(/,
  /TypeError|RangeError|SyntaxError|ECONN|Cannot read prop/,
]

/** True of every answer, whatever was asked. */
function checkAnswer({ status, requestId, text }: RawAnswer): string | null {
  const answer = JSON.parse(text) as { requestId: string; success: boolean }
  assert.equal(answer.requestId, requestId, 'the request is named in the answer and its header')
  assert.ok(status < 500 || status === 503, `status ${status}`)
  if (answer.success) {
    assert.ok(status >= 200 && status < 300)
    return null
  }
  assert.ok(isFailure(answer), 'the failure envelope')
  const { error } = answer as unknown as { error: { code: number; key: string } }
  assert.ok(isErrorKey(error.key), `${error.key} is in the catalogue`)
  const entry = errorEntry(error.key)
  assert.equal(error.code, entry.code)
  assert.ok([entry.status, ...(entry.alsoStatuses ?? [])].includes(status), `status ${status}`)
  for (const insides of INSIDES) assert.doesNotMatch(text, insides)
  assert.ok(!text.includes(MARKER), 'what was sent is not sent back')
  return error.key
}

/** The keys that the route documents, and no others. */
const checkKey = (route: RouteBase, answer: RawAnswer): string | null => {
  const key = checkAnswer(answer)
  if (key === null) assert.ok(successOf(route)(JSON.parse(answer.text)), 'the documented shape')
  if (key !== null) {
    assert.ok((route.refusals as readonly string[]).includes(key), `${key} is documented`)
  }
  return key
}

for (const route of routes) {
  const path = pathOf(route)

  describe(`${route.method} ${route.path}`, () => {
    it('finds the form of its own examples right', () =>
      sendAll(route.method, exampleRequests(route), (answer) => {
        const key = checkKey(route, answer)
        assert.ok(key !== 'VALIDATION_FAILED' && key !== 'BAD_REQUEST', `${key}`)
      }))

    if (route.method !== 'GET' && route.method !== 'DELETE') {
      it('refuses a body that cannot be read, or is no object', () =>
        sendAll(route.method, brokenBodies(path), (answer) => {
          const key = checkKey(route, answer)
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
          const key = checkKey(route, answer)
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
  it('every other method of every path is not found, or is the dashboard’s', async () => {
    for (const path of new Set(routes.map((route) => pathOf(route)))) {
      // `/merchant/trades/lookup` also fits the path of one trade, whose id would be no id.
      const fits = (route: RouteBase): boolean =>
        new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
      const known = routes.filter(fits).map(({ method }) => method as string)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
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
