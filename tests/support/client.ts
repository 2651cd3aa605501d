// A merchant's or partner's backend over fetch. Every answer is held against the contract: the success shape
// of its route with nothing beside it, or the failure envelope with a key that the route documents.
import assert from 'node:assert/strict'
import {
  API_KEY_HEADER,
  errorEntry,
  FailureEnvelope,
  isErrorKey,
  merchantRoutes,
  PARTNER_KEY_HEADER,
  type PartnerRouteId,
  partnerRoutes,
  type RouteBase,
  successEnvelope,
} from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'
import { compile } from '../../packages/contract/src/testing/validator.ts'

/** The routes of one interface by their ids. */
type Routes = Readonly<Record<string, RouteBase>>
type DataIn<Known extends Routes, Id extends keyof Known> = Static<Known[Id]['response']>
export type PartnerDataOf<Id extends PartnerRouteId> = DataIn<typeof partnerRoutes, Id>

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

export interface ClientOf<Known extends Routes> {
  readonly baseUrl: string
  readonly apiKey: string
  call<Id extends keyof Known & string>(id: Id, call?: Call): Promise<Answer<DataIn<Known, Id>>>
  /** The data of a success; a refusal fails the test. */
  get<Id extends keyof Known & string>(id: Id, call?: Call): Promise<DataIn<Known, Id>>
  /** Expects this refusal. */
  refused(key: string, id: keyof Known & string, call?: Call): Promise<Refused>
}

export type Client = ClientOf<typeof merchantRoutes>
export type PartnerClient = ClientOf<typeof partnerRoutes>

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

export const createClient = (access: Access): Client =>
  clientOf(access, merchantRoutes, API_KEY_HEADER)

export const createPartnerClient = (access: Access): PartnerClient =>
  clientOf(access, partnerRoutes, PARTNER_KEY_HEADER)

const DEADLINE_MS = 30_000

function clientOf<Known extends Routes>(
  { baseUrl, apiKey }: Access,
  routes: Known,
  keyHeader: string,
): ClientOf<Known> {
  const call = async <Id extends keyof Known & string>(
    id: Id,
    options: Call = {},
  ): Promise<Answer<DataIn<Known, Id>>> => {
    const route = routes[id] as RouteBase
    const hasBody = options.body !== undefined
    const key = options.apiKey === undefined ? apiKey : options.apiKey
    const response = await fetch(urlOf(baseUrl, route, options), {
      method: route.method,
      headers: {
        ...(key === null ? {} : { [keyHeader]: key }),
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
    return readAnswer(route, response.status, response.headers, await response.text())
  }
  return {
    baseUrl,
    apiKey,
    call,
    get: async (id, options) => {
      const answer = await call(id, options)
      assert.ok(answer.error === null, `${id}: ${answer.status} ${JSON.stringify(answer.error)}`)
      return answer.data as DataIn<Known, typeof id>
    },
    refused: async (key, id, options) => {
      const answer = await call(id, options)
      assert.equal(answer.error?.key, key, `${id}: ${answer.status} ${JSON.stringify(answer)}`)
      return answer.error as Refused
    },
  }
}

function urlOf(baseUrl: string, route: Pick<RouteBase, 'path'>, { params, query }: Call): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`
}

/** Parses an answer and holds it against the contract. */
function readAnswer<Data>(
  route: RouteBase,
  status: number,
  headers: Headers,
  text: string,
): Answer<Data> {
  const { id } = route
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    assert.fail(`${id}: ${status} is no JSON: ${text.slice(0, 300)}`)
  }
  const { requestId, success } = body as { requestId: string; success: boolean }
  assert.equal(headers.get('x-request-id'), requestId, 'the request id is a header too')
  if (success) {
    assert.equal(status, route.status, `${id} answers with its status`)
    assert.ok(successOf(route)(body), `${id}: not the documented shape: ${text.slice(0, 1000)}`)
    return { status, headers, requestId, data: (body as { data: Data }).data, error: null }
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
    route.refusals.includes(error.key),
    `${id} refuses with ${error.key}, which it does not document: ${text.slice(0, 300)}`,
  )
  return { status, headers, requestId, data: null, error }
}

const isFailure = compile(sealed(FailureEnvelope))
const checks = new Map<RouteBase, (value: unknown) => boolean>()

/** Whether an answer is the success of a route, with nothing beside its documented shape. */
export function successOf(route: RouteBase): (value: unknown) => boolean {
  let check = checks.get(route)
  if (!check) {
    check = compile(sealed(successEnvelope(route.response)))
    checks.set(route, check)
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
