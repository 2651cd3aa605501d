// A server of the edge alone, with operations of the merchant interface that report what they were asked,
// for tests of what stands around every operation.
import type { AddressInfo } from 'node:net'
import { contractFormats, merchantRoutes } from '@tradepost/contract'
import type { FastifyInstance } from 'fastify'
import { createLimiter } from '#infra/limits/rate-limit/limiter'
import { systemClock } from '#infra/process/clock'
import { createLog } from '#infra/process/log'
import { createAuthenticator } from '../../merchant/authenticate.ts'
import {
  createMerchantInterface,
  type MerchantInterfaceDeps,
} from '../../merchant/merchant-interface.ts'
import { type MerchantOperation, operation } from '../../merchant/operation.ts'
import type { ResolveAccount } from '../../merchant/resolve-account.ts'
import type { Answered, AnsweredWith } from '../exchange.ts'
import type { KeyRecord } from '../ports.ts'
import type { TradingAccount } from '../principal.ts'
import { createRateLimits, type RateLimits } from '../rate-limits.ts'
import { createServer, type ServerDeps } from '../server.ts'

export const KEY = 'tp_test_merchant'
export const MERCHANT_ID = '019aa000-0000-7000-8000-000000000001'
export const SUB_USER_ID = '019aa000-0000-7000-8000-000000000002'

export const keyRecord = (change: Partial<KeyRecord> = {}): KeyRecord => ({
  keyId: '019aa000-0000-7000-8000-0000000000aa',
  kind: 'merchant',
  accountId: MERCHANT_ID,
  partnerId: null,
  currency: 'USD',
  revoked: false,
  expiresAt: null,
  allowlist: [],
  accountStatus: 'active',
  tier: 'standard',
  feeBps: 300,
  scopes: null,
  accounts: null,
  endsAt: null,
  ...change,
})

const account = (change: Partial<TradingAccount> = {}): TradingAccount => ({
  id: MERCHANT_ID,
  tenantId: MERCHANT_ID,
  role: 'merchant',
  status: 'active',
  currency: 'USD',
  platformId: null,
  houseFeeBps: 300,
  merchantBuyFeeBps: 0,
  merchantSellFeeBps: 0,
  primaryTradeUrl: null,
  ...change,
})

/** The merchant itself, `alice` (active), `häns` (active) and `sam` (suspended). */
export const resolveAccount: ResolveAccount = async (_merchant, reference) => {
  if (reference === null) return account()
  if (!['alice', 'häns', 'sam'].includes(reference)) return null
  const status = reference === 'sam' ? ('suspended' as const) : ('active' as const)
  return account({ id: SUB_USER_ID, role: 'sub_user', status })
}

/** Limits in memory, under a clock that stands still unless it is moved. */
export function rateLimits({ scale = 1, nowMs = () => 0 } = {}): RateLimits {
  const limiter = createLimiter({ windowMs: 60_000, nowMs, shared: null })
  return createRateLimits({ limiter, addressLimiter: limiter, scale, nowMs })
}

/** The last call that a handler saw. */
export interface Seen {
  caller?: unknown
  params?: unknown
  query?: unknown
  body?: unknown
  idempotencyKey?: string
}

export interface TestServer {
  readonly app: FastifyInstance
  readonly port: number
  readonly url: string
  readonly seen: Seen
  /** Lines of the log, parsed. */
  readonly lines: Record<string, unknown>[]
  readonly answered: (Answered & AnsweredWith)[]
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>
  close(): Promise<void>
}

export interface CallOptions {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Envelope
}

export interface Envelope {
  readonly requestId: string
  readonly success: boolean
  readonly data?: unknown
  readonly error?: {
    readonly code: number
    readonly key: string
    readonly message: string
    readonly meta?: Record<string, unknown> & {
      readonly errors?: { in: string; pointer: string; rule: string; message: string }[]
    }
  }
}

/** Parts of the interface and of the server that a test replaces. */
export type TestServerChange = Partial<MerchantInterfaceDeps & ServerDeps> & {
  /** Interfaces beside the merchant's. */
  readonly others?: ServerDeps['interfaces']
}

export async function startTestServer(change: TestServerChange = {}): Promise<TestServer> {
  const seen: Seen = {}
  const lines: Record<string, unknown>[] = []
  const answered: (Answered & AnsweredWith)[] = []
  const { authenticate, confirm } = createAuthenticator({
    findKey: async (secret) => (secret === KEY ? keyRecord() : null),
    looksLikeKey: (secret) => secret.startsWith('tp_test_'),
    clock: systemClock,
  })
  const merchant = createMerchantInterface({
    operations: sampleOperations(seen),
    dashboardOnly: [{ methods: ['GET', 'POST'], path: '/dashboard/api/*' }],
    ...{ authenticate, confirm },
    resolveAccount,
    clock: systemClock,
    ...change,
  })
  const app = await createServer({
    interfaces: [merchant, ...(change.others ?? [])],
    checkReady: async () => ({ status: 'ready', checks: { database: 'ok' } }),
    docs: { documents: { merchant: () => ({ openapi: '3.1.0' }) } },
    formats: contractFormats('steamcommunity.com'),
    log: createLog({
      level: 'debug',
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    }),
    clock: systemClock,
    onAnswered: (fields, { key, tradeId }) => answered.push({ ...fields, key, tradeId }),
    trustedProxies: [],
    ...change,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    app,
    port,
    url,
    seen,
    lines,
    answered,
    call: (method, path, options) => call(url + path, method, options),
    close: () => app.close(),
  }
}

async function call(
  url: string,
  method: string,
  { headers = {}, body, raw }: CallOptions = {},
): Promise<TestAnswer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      'api-key': KEY,
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
  const text = await response.text()
  let json = {} as Envelope
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, text, json }
}

/** One route of each kind of shape: body, query, path, idempotency key, none. */
function sampleOperations(seen: Seen): MerchantOperation[] {
  const see = ({ caller, params, query, body, idempotencyKey }: Seen): void => {
    Object.assign(seen, { caller, params, query, body, idempotencyKey })
  }
  return [
    operation(
      merchantRoutes.buy,
      async (request) => {
        see(request)
        return {
          id: request.caller.requestId,
          status: 'initiated' as const,
          itemCount: request.body.items.length,
          totalPrice: 5.5,
          createdAt: '2026-11-21T09:30:00.000Z',
        }
      },
      { refusesSuspended: true },
    ),
    operation(merchantRoutes.getWallet, async (request) => {
      see(request)
      return { currency: 'USD' as const, balance: 12.5 }
    }),
    operation(merchantRoutes.searchMarket, async (request) => {
      see(request)
      return { items: [], total: 0, page: request.query.page, limit: 25, totalPages: 0 }
    }),
    operation(merchantRoutes.listTransactions, async (request) => {
      see(request)
      return { transactions: [], nextCursor: null }
    }),
    operation(merchantRoutes.getItem, async (request) => {
      see(request)
      return { id: request.params.itemId, name: 'n', marketHashName: 'm' }
    }),
    operation(merchantRoutes.fundSubUser, async (request) => {
      see(request)
      return { transactionId: request.caller.requestId, idempotent: false }
    }),
    operation(merchantRoutes.createSubUser, async (request) => {
      see(request)
      return {
        id: SUB_USER_ID,
        email: null,
        platformId: null,
        externalId: request.body.externalId ?? null,
        status: 'active' as const,
        feeBps: null,
        createdAt: '2026-11-21T09:30:00.000Z',
        currency: 'USD' as const,
        idempotent: false,
      }
    }),
    operation(merchantRoutes.deleteSubUser, async (request) => {
      see(request)
      return { id: SUB_USER_ID, status: 'deleted' as const }
    }),
  ]
}
