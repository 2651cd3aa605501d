import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { type Config, readConfig } from '../config.ts'
import type { MarketId } from '../dataset/types.ts'
import { manualClock } from '../kernel/clock.ts'
import type { MarketASettings } from '../markets/market-a/settings.ts'
import type { MarketBSettings } from '../markets/market-b/settings.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import type { Environment } from '../settings.ts'
import { createTinyDataset } from './tiny-dataset.ts'

export const START_MS = Date.UTC(2026, 8, 30, 12, 0, 0)
export const KEY_A = 'sandbox-market-a'
export const KEY_B = 'sandbox-market-b'

// biome-ignore lint/suspicious/noExplicitAny: answers of the wire, whose types are what the tests check
export type Json = Record<string, any>

/** A sandbox on a free port whose clock is moved by hand, spoken to over real HTTP. */
export interface Harness {
  readonly sandbox: Sandbox
  readonly url: string
  nowMs(): number
  /** Moves the clock; everything due on the way happens at its own time. */
  advance(durationMs: number): void
  get(path: string, headers?: Record<string, string>): Promise<Response>
  json(path: string): Promise<Json>
  /** A call of market A's API v2 with the good key. */
  a(method: string, params?: Params): Promise<Json>
  /** A call of market B's API v1 with the good key. */
  b(method: string, params?: Params): Promise<Json>
  control(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Json>
  script(market: MarketId, ...next: string[]): Promise<void>
  /** The cheapest listing of the market with these words in its name. */
  listing(market: MarketId, q?: string): Promise<Json>
}

export type Params = Record<string, string | number | readonly (string | number)[]>

export async function startHarness(
  t: TestContext,
  options: {
    readonly config?: Partial<Config>
    readonly environment?: Environment
    readonly marketA?: Partial<MarketASettings>
    readonly marketB?: Partial<MarketBSettings>
    readonly startMs?: number
  } = {},
): Promise<Harness> {
  const environment = {
    ...NO_LIMITS,
    SANDBOX_MARKET_A_SETTINGS: JSON.stringify(options.marketA ?? {}),
    SANDBOX_MARKET_B_SETTINGS: JSON.stringify({
      lockedOneIn: 0,
      feedGapOneIn: 0,
      ...options.marketB,
    }),
    ...options.environment,
  }
  const clock = manualClock(options.startMs ?? START_MS)
  const sandbox = await startSandbox({
    config: { ...readConfig(environment), port: 0, listingCount: 100, ...options.config },
    createDataset: createTinyDataset,
    clock,
    movesByItself: false,
  })
  t.after(() => sandbox.close())

  const get = (path: string, headers?: Record<string, string>): Promise<Response> =>
    fetch(`${sandbox.url}${path}`, headers === undefined ? {} : { headers })
  const json = async (path: string): Promise<Json> => (await (await get(path)).json()) as Json
  const control: Harness['control'] = async (method, path, body) => {
    const response = await fetch(`${sandbox.url}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    return { status: response.status, ...((await response.json()) as Json) }
  }

  return {
    sandbox,
    url: sandbox.url,
    nowMs: clock.nowMs,
    advance(durationMs) {
      const untilMs = clock.nowMs() + durationMs
      for (;;) {
        const nextMs = sandbox.nextDueMs()
        if (nextMs === null || nextMs > untilMs) break
        clock.set(Math.max(nextMs, clock.nowMs()))
        sandbox.runDue()
      }
      clock.set(untilMs)
    },
    get,
    json,
    a: (method, params = {}) =>
      json(`/market-a/api/v2/${method}?${queryOf({ key: KEY_A, ...params })}`),
    b: (method, params = {}) =>
      json(`/market-b/v1/${method}?${queryOf({ api: KEY_B, ...params })}`),
    control,
    async script(market, ...next) {
      const answer = await control('POST', `/markets/${market}/script`, { next })
      assert.equal(answer.status, 200, JSON.stringify(answer))
    },
    async listing(market, q = 'ak-47 redline') {
      const { items } = await control(
        'GET',
        `/markets/${market}/listings?limit=1&q=${encodeURIComponent(q)}`,
      )
      return items[0]
    },
  }
}

const NO_LIMITS = {
  SANDBOX_MARKET_A_CALLS_PER_SECOND: '0',
  SANDBOX_MARKET_B_CALLS_PER_MINUTE: '0',
  SANDBOX_PLATFORM_HEADERS: 'off',
}

export function queryOf(params: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) query.append(name, String(one))
  }
  return query.toString()
}

/** Orders by a persona with this token; the partner makes each caller another person. */
export function buyParams(
  listing: Json,
  options: { readonly token?: string; readonly customId?: string; readonly partner?: number } = {},
): Params {
  return {
    id: listing.id,
    item_id: listing.id,
    price: listing.priceMills,
    partner: options.partner ?? 4242,
    token: options.token ?? 'accept00',
    custom_id: options.customId ?? 'order-1',
    project_id: options.customId ?? 'order-1',
  }
}

/** A WebSocket whose messages wait until the test asks for them. */
export interface Peer {
  readonly socket: WebSocket
  send(text: string): void
  /** The next message that `accepts` says yes to; the others before it are dropped. */
  next(accepts?: (text: string) => boolean): Promise<string>
  readonly closed: Promise<{ readonly code: number }>
}

const DEADLINE_MS = 5_000

export async function connect(
  t: TestContext,
  url: string,
  headers: Record<string, string> = {},
): Promise<Peer> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
  t.after(() => socket.terminate())
  const waiting: string[] = []
  let wake = (): void => {}
  socket.on('message', (data) => {
    waiting.push(String(data))
    wake()
  })
  const closed = new Promise<{ code: number }>((resolve) => {
    socket.on('close', (code) => {
      resolve({ code })
      wake()
    })
  })
  await once(socket, 'open')

  return {
    socket,
    send: (text) => socket.send(text),
    closed,
    async next(accepts = () => true) {
      const deadline = AbortSignal.timeout(DEADLINE_MS)
      for (;;) {
        for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
          if (accepts(text)) return text
        }
        assert.ok(
          socket.readyState === WebSocket.OPEN,
          'the socket closed while a message was awaited',
        )
        await new Promise<void>((resolve, reject) => {
          wake = resolve
          deadline.addEventListener('abort', () => reject(new Error('no such message came')), {
            once: true,
          })
        })
      }
    },
  }
}
