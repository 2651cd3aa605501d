// A merchant interface of some operations over real HTTP on a real database, with real keys. The clock is
// moved by hand, and the game platform answers as the test says.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'
import { contractFormats } from '@tradepost/contract'
import {
  createCallerFinder,
  createKeyFinder,
  createMerchant,
  type GamePlatform,
  issueKey,
  looksLikeKey,
  type MerchantFees,
} from '#identity'
import { type Db, sql } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createLog } from '#infra/process/log'
import { newId } from '#kernel/id'
import { type Cents, type Currency, cents } from '#kernel/money'
import { addPerson } from '#people'
import { createGlobalDefaultReader } from '#pricing'
import { type TestDatabase, testDatabase } from '../../../../infra/testing/database.ts'
import type { RateLimits } from '../../shared/rate-limits.ts'
import { createServer } from '../../shared/server.ts'
import { createAuthenticator } from '../authenticate.ts'
import { createMerchantInterface } from '../merchant-interface.ts'
import type { MerchantOperations } from '../operation.ts'
import { createResolveAccount } from '../resolve-account.ts'

export const HOST = 'steamcommunity.com'
/** When the clock of a test begins. */
export const START = new Date('2026-11-20T12:00:00.000Z')

export interface MerchantServer {
  /** Everything that the server logged as an error. */
  readonly errors: string[]
  as(key: string): Client
  close(): Promise<void>
}

export interface Client {
  get(path: string, headers?: Headers): Promise<Answer>
  post(path: string, body?: unknown, headers?: Headers): Promise<Answer>
  patch(path: string, body: unknown, headers?: Headers): Promise<Answer>
  delete(path: string, headers?: Headers): Promise<Answer>
}

type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  /** What the envelope carries on success. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as a client reads it
  readonly data: any
  readonly key: string | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
}

export interface PlatformDouble extends GamePlatform {
  asked: number
  /** By token; every other trade URL resolves. */
  readonly answers: Map<string, 'refused' | 'unavailable'>
}

/** A database and a server for the tests of one file. */
export interface Edge<Server> {
  readonly db: Db
  readonly server: Server
}

/** Starts both before the tests of the file and closes them afterwards. An error that was logged fails it. */
export function useServer<Server extends MerchantServer>(
  start: (db: Db) => Promise<Server>,
  options: { readonly poolSize?: number } = {},
): Edge<Server> {
  let database: TestDatabase
  let server: Server
  before(async () => {
    database = await testDatabase(options)
    server = await start(database.db)
  })
  after(async () => {
    await server.close()
    await database.close()
    assert.deepEqual(server.errors, [])
  })
  return {
    get db() {
      return database.db
    },
    get server() {
      return server
    },
  }
}

export interface MerchantServerOptions {
  readonly db: Db
  readonly clock: Clock
  readonly operations: Partial<MerchantOperations>
  readonly rateLimits?: RateLimits
}

export async function startMerchantServer(options: MerchantServerOptions): Promise<MerchantServer> {
  const { db, clock, operations, rateLimits } = options
  const errors: string[] = []
  const { authenticate, confirm } = createAuthenticator({
    findKey: createKeyFinder({ db, clock }),
    looksLikeKey,
    clock,
  })
  const merchant = createMerchantInterface({
    operations: Object.values(operations),
    ...{ authenticate, confirm },
    resolveAccount: createResolveAccount({
      findCaller: createCallerFinder(db),
      globalDefaultFeeBps: createGlobalDefaultReader({ db, clock }),
    }),
    dashboardOnly: [],
    ...(rateLimits && { rateLimits }),
    clock,
  })
  const app = await createServer({
    interfaces: [merchant],
    checkReady: async () => ({ status: 'ready', checks: {} }),
    docs: { documents: {} },
    formats: contractFormats(HOST),
    log: createLog({ level: 'error', destination: { write: (line) => errors.push(line) } }),
    clock,
    trustedProxies: [],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    errors,
    as: (key) => clientOf(`http://127.0.0.1:${port}`, key),
    close: () => app.close(),
  }
}

function clientOf(base: string, key: string): Client {
  const call = async (
    method: string,
    path: string,
    body: unknown,
    headers: Headers = {},
  ): Promise<Answer> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        'api-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope = (await response.json()) as {
      data?: unknown
      error?: { key: string; meta?: Record<string, unknown> }
    }
    return {
      status: response.status,
      data: envelope.data,
      key: envelope.error?.key,
      meta: envelope.error?.meta,
    }
  }
  return {
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),
  }
}

const FEES: MerchantFees = {
  feeBps: 300,
  buyFeeBps: 200,
  sellFeeBps: 150,
  childDefaultFeeBps: null,
}

/** A merchant with a key and money in its spot wallet. */
export async function merchantWithKey(
  db: Db,
  { currency = 'USD' as Currency, balance = 0n, fees = {} as Partial<MerchantFees> } = {},
): Promise<{ id: string; key: string; email: string; currency: Currency }> {
  const at = START
  const email = `m-${newId()}@example.com`
  const { id, key } = await db.transaction(async (tx) => {
    const { id } = await createMerchant(tx, {
      email,
      name: 'M',
      currency,
      country: 'DE',
      tier: 'enterprise',
      fees: { ...FEES, ...fees },
      at,
    })
    await addPerson(tx, {
      ...{ email, at, passwordHash: 'none: no one logs in here' },
      membership: { accountId: id, accountKind: 'merchant', role: 'owner' },
    })
    const key = await issueKey(tx, {
      accountId: id,
      kind: 'merchant',
      name: 'test',
      environment: 'test',
      at,
    })
    return { id, key: key.secret }
  })
  if (balance > 0n) await give(db, { id, currency }, cents(balance))
  return { id, key, email, currency }
}

const GIVE = sql(
  'testing.give',
  `select ledger.post('deposit', null, $1, $2, '\\x00', $3, array[$4::ledger.currency],
     array[ledger.house('clearing_demo', $4::ledger.currency)], array[ledger.account_of($1, $5)],
     array[$6::bigint])`,
)

/** Money from nowhere. */
export async function give(
  db: Db,
  owner: { id: string; currency: Currency },
  amount: Cents,
  wallet: 'spot' | 'earnings' = 'spot',
): Promise<void> {
  const at = START
  await db.query(GIVE, [owner.id, newId(), at, owner.currency, wallet, amount])
}

export function platformDouble(): PlatformDouble {
  const platform: PlatformDouble = {
    asked: 0,
    answers: new Map(),
    resolveTradeUrl: async (url) => {
      platform.asked++
      const answer = platform.answers.get(url.token)
      if (answer !== undefined) return { kind: answer, detail: 'as the test says' }
      return {
        kind: 'resolved',
        holdDays: 0,
        probation: false,
        persona: {
          platformId: url.platformId,
          personaName: `Persona ${url.partner}`,
          avatarUrl: 'https://avatars.example/a.jpg',
          profileUrl: `https://${HOST}/profiles/${url.platformId}`,
        },
      }
    },
  }
  return platform
}
