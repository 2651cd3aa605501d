// Every adapter in a real server of its framework, over real connections.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { APPROVAL, signedDelivery } from '../testing/signed-delivery.ts'
import { expressWebhook } from './express.ts'
import { fastifyWebhook } from './fastify.ts'
import { fetchWebhook } from './fetch.ts'
import { honoWebhook } from './hono.ts'
import { nodeWebhook } from './node.ts'
import type { WebhookHandlerOptions } from './receive.ts'

interface Endpoint {
  post(body: string | Buffer, headers: Readonly<Record<string, string>>): Promise<Response>
  close(): Promise<void>
}

type Start = (options: WebhookHandlerOptions) => Promise<Endpoint>

const FRAMEWORKS: Readonly<Record<string, Start>> = {
  node: (options) => listening(createServer(nodeWebhook({ ...options, onError: () => {} }))),
  express: (options) => {
    const app = express()
    app.post('/hook', expressWebhook(options))
    app.use(express.json())
    return listening(createServer(quiet(app)))
  },
  'express behind its raw parser': (options) => {
    const app = express()
    const raw = express.raw({ type: 'application/json', limit: options.maxBodyBytes ?? '1mb' })
    app.post('/hook', raw, expressWebhook(options))
    return listening(createServer(quiet(app)))
  },
  fastify: async (options) => {
    const app = Fastify()
    await app.register(fastifyWebhook, { ...options, path: '/hook' })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return { post: postTo(app.server), close: () => app.close() }
  },
  hono: async (options) => {
    const app = new Hono()
    app.post('/hook', honoWebhook(options))
    app.onError((_, context) => context.text('', 500))
    return fetched((request) => app.fetch(request))
  },
  'anything with fetch': async (options) => {
    const handle = fetchWebhook(options)
    return fetched((request) => handle(request).catch(() => new Response(null, { status: 500 })))
  },
}

for (const [name, start] of Object.entries(FRAMEWORKS)) {
  describe(name, () => {
    it('a signed delivery reaches the handler as it was sent, and is answered with 204', async () => {
      const { secret, body, headers, event } = signedDelivery()
      const events: unknown[] = []
      const endpoint = await start({ secret, onEvent: (one) => events.push(one) })
      const response = await endpoint.post(body, headers)
      await endpoint.close()
      assert.equal(response.status, 204)
      assert.equal(await response.text(), '')
      assert.deepEqual(events, [event])
    })

    it('an approved withdrawal is answered with 204, a refused one with 403', async () => {
      const { secret, body, headers } = signedDelivery({ body: JSON.stringify(APPROVAL) })
      for (const [decision, status] of [
        [true, 204],
        [false, 403],
      ] as const) {
        const decided: unknown[] = []
        const endpoint = await start({
          secret,
          onEvent: () => assert.fail('the handler of events was called'),
          onApproval: async (withdrawal) => {
            decided.push(withdrawal)
            return decision
          },
        })
        const response = await endpoint.post(body, headers)
        await endpoint.close()
        assert.equal(response.status, status)
        assert.deepEqual(decided, [APPROVAL.data.withdrawal])
      }
    })

    it('a delivery that fails verification is answered with 401 and does not reach the handler', async () => {
      const { secret, body, headers } = signedDelivery()
      const events: unknown[] = []
      const refused: string[] = []
      const endpoint = await start({
        secret,
        onEvent: (one) => events.push(one),
        onRefused: ({ reason }) => refused.push(reason),
      })
      const response = await endpoint.post(`${body} `, headers)
      await endpoint.close()
      assert.equal(response.status, 401)
      const answer = { error: { key: 'INVALID_SIGNATURE', reason: 'mismatch' } }
      assert.deepEqual(await response.json(), answer)
      assert.deepEqual([events, refused], [[], ['mismatch']])
    })

    it('a handler that fails is answered with 500, so that the service retries', async () => {
      const { secret, body, headers } = signedDelivery()
      let calls = 0
      const endpoint = await start({
        secret,
        onEvent: async () => {
          if (++calls === 1) throw new Error('the disk is full')
        },
      })
      const first = await endpoint.post(body, headers)
      await first.text()
      const second = await endpoint.post(body, headers)
      await endpoint.close()
      assert.deepEqual([first.status, second.status, calls], [500, 204, 2])
    })

    it('a body that is too large is answered with 413 before the handler', async () => {
      const { secret, body, headers } = signedDelivery()
      const endpoint = await start({
        secret,
        maxBodyBytes: 100,
        onEvent: () => assert.fail('it was handed over'),
      })
      const response = await endpoint.post(body, headers)
      await endpoint.close()
      assert.equal(response.status, 413)
    })
  })
}

describe('beside other routes', () => {
  it('express reports that another parser has read the body', async () => {
    const { secret, body, headers } = signedDelivery()
    let seen: unknown
    const app = express()
    app.use(express.json())
    app.post('/hook', expressWebhook({ secret, onEvent: () => assert.fail('it was accepted') }))
    app.use(((error, _request, response, _next) => {
      seen = error
      response.status(500).end()
    }) satisfies express.ErrorRequestHandler)
    const endpoint = await listening(createServer(app))
    const response = await endpoint.post(body, headers)
    await endpoint.close()
    assert.equal(response.status, 500)
    assert.match(String(seen), /before express\.json\(\)/)
  })

  it('fastify keeps its JSON parser for all other routes', async () => {
    const app = Fastify()
    await app.register(fastifyWebhook, { path: '/hook', secret: 'x', onEvent: () => {} })
    app.post('/other', async ({ body }) => body)
    const answer = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })
    await app.close()
    assert.deepEqual(answer.json(), { a: 1 })
  })

  it('a body of unknown length is counted while it is read', async () => {
    const { secret, headers } = signedDelivery()
    const handle = fetchWebhook({ secret, maxBodyBytes: 100, onEvent: () => {} })
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(60))
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as const
    const response = await handle(new Request('http://localhost/hook', init))
    assert.equal(response.status, 413)
    assert.ok(pulled <= 4, `${pulled} chunks`)
  })
})

/** Express prints what reaches its own error handler; a handler of ours is silent. */
function quiet(app: express.Express): express.Express {
  app.use(((error: { status?: number }, _request, response, _next) => {
    response.status(error.status ?? 500).end()
  }) satisfies express.ErrorRequestHandler)
  return app
}

async function listening(server: Server): Promise<Endpoint> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    post: postTo(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const postTo = (server: Server): Endpoint['post'] => {
  return (body, headers) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers,
      signal: AbortSignal.timeout(10_000),
    })
}

const fetched = (handle: (request: Request) => Response | Promise<Response>): Endpoint => ({
  post: async (body, headers) =>
    handle(
      new Request('http://localhost/hook', {
        method: 'POST',
        body: new Uint8Array(Buffer.from(body)),
        headers,
      }),
    ),
  close: async () => {},
})
