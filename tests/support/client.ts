// A merchant's backend over fetch. Every answer is held against the contract: the success shape of its
// route with nothing beside it, or the failure envelope with a key that the route documents.
import assert from 'node:assert/strict'
import {
  errorEntry,
  FailureEnvelope,
  isErrorKey,
  type MerchantRouteId,
  merchantRoutes,
  successEnvelope,
} from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'
import { compile } from '../../packages/contract/src/testing/validator.ts'

type Routes = typeof merchantRoutes
export type DataOf<Id extends MerchantRouteId> = Static<Routes[Id]['response']>

export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The sub-user that the call is for. */
  readonly behalf?: string
  readonly idempotencyKey?: string
  /** Another key, or none. */
  readonly apiKey?: string | null
  readonly deadlineMs?: number
}

export interface Refused {
  readonly code: number
  readonly key: string
  readonly message: string
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface Answer<Data> {
  readonly status: number
  readonly headers: Headers
  readonly requestId: string
  readonly data: Data | null
  readonly error: Refused | null
}

export interface Client {
  readonly baseUrl: string
  readonly apiKey: string
  call<Id extends MerchantRouteId>(id: Id, call?: Call): Promise<Answer<DataOf<Id>>>
  /** The data of a success; a refusal fails the test. */
  get<Id extends MerchantRouteId>(id: Id, call?: Call): Promise<DataOf<Id>>
  /** Expects this refusal. */
  refused(key: string, id: MerchantRouteId, call?: Call): Promise<Refused>
}

const DEADLINE_MS = 30_000

export function createClient({
  baseUrl,
  apiKey,
}: {
  readonly baseUrl: string
  readonly apiKey: string
}): Client {
  const call = async <Id extends MerchantRouteId>(
    id: Id,
    options: Call = {},
  ): Promise<Answer<DataOf<Id>>> => {
    const route = merchantRoutes[id]
    const hasBody = options.body !== undefined
    const key = options.apiKey === undefined ? apiKey : options.apiKey
    const response = await fetch(urlOf(baseUrl, id, options), {
      method: route.method,
      headers: {
        ...(key === null ? {} : { 'api-key': key }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(options.behalf === undefined ? {} : { 'on-behalf-of': options.behalf }),
        ...(options.idempotencyKey === undefined
          ? {}
          : { 'idempotency-key': options.idempotencyKey }),
        ...options.headers,
      },
      ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
      signal: AbortSignal.timeout(options.deadlineMs ?? DEADLINE_MS),
    })
    return readAnswer(id, response.status, response.headers, await response.text())
  }
  return {
    baseUrl,
    apiKey,
    call,
    get: async (id, options) => {
      const answer = await call(id, options)
      assert.ok(answer.error === null, `${id}: ${answer.status} ${JSON.stringify(answer.error)}`)
      return answer.data as DataOf<typeof id>
    },
    refused: async (key, id, options) => {
      const answer = await call(id, options)
      assert.equal(answer.error?.key, key, `${id}: ${answer.status} ${JSON.stringify(answer)}`)
      return answer.error as Refused
    },
  }
}

export function urlOf(baseUrl: string, id: MerchantRouteId, { params, query }: Call): string {
  const path = merchantRoutes[id].path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`
}

/** Parses an answer and holds it against the contract. */
function readAnswer<Id extends MerchantRouteId>(
  id: Id,
  status: number,
  headers: Headers,
  text: string,
): Answer<DataOf<Id>> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    assert.fail(`${id}: ${status} is no JSON: ${text.slice(0, 300)}`)
  }
  const { requestId, success } = body as { requestId: string; success: boolean }
  assert.equal(headers.get('x-request-id'), requestId, 'the request id is a header too')
  if (success) {
    assert.equal(status, merchantRoutes[id].status, `${id} answers with its status`)
    assert.ok(successOf(id)(body), `${id}: not the documented shape: ${text.slice(0, 1000)}`)
    return { status, headers, requestId, data: (body as { data: DataOf<Id> }).data, error: null }
  }
  assert.ok(isFailure(body), `${id}: not the failure envelope: ${text.slice(0, 300)}`)
  const { error } = body as { error: Refused }
  assert.ok(isErrorKey(error.key), `${id}: ${error.key} is in the catalogue`)
  const entry = errorEntry(error.key)
  assert.equal(error.code, entry.code)
  assert.ok(
    [entry.status, ...(entry.alsoStatuses ?? [])].includes(status),
    `${id}: ${error.key} with status ${status}`,
  )
  assert.ok(
    merchantRoutes[id].refusals.includes(error.key),
    `${id} refuses with ${error.key}, which it does not document: ${text.slice(0, 300)}`,
  )
  return { status, headers, requestId, data: null, error }
}

const isFailure = compile(sealed(FailureEnvelope))
const checks = new Map<MerchantRouteId, (value: unknown) => boolean>()

function successOf(id: MerchantRouteId): (value: unknown) => boolean {
  let check = checks.get(id)
  if (!check) {
    check = compile(sealed(successEnvelope(merchantRoutes[id].response as TSchema)))
    checks.set(id, check)
  }
  return check
}

/** The same schema where an object may have no field that it does not name. */
function sealed<Schema extends TSchema>(schema: Schema): Schema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close)
    if (typeof value !== 'object' || value === null) return value
    const copy = Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, close(part)]),
    )
    return 'properties' in copy && !('additionalProperties' in copy)
      ? { ...copy, additionalProperties: false }
      : copy
  }
  return close(schema) as Schema
}
