// From an operation and its input to the HTTP request. Pure.
import type { RouteOfOperation } from './generated/operations.ts'

type Part<Operation, Name extends string> =
  Operation extends Record<Name, infer Value> ? Value : undefined

/** What an operation needs; parts that it does not have are absent. */
export type Input<Known, Id extends keyof Known> = {
  readonly [Name in 'params' | 'query' | 'body' as undefined extends Part<Known[Id], Name>
    ? never
    : Name]: Part<Known[Id], Name>
}

/** The same without the operation's types. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: object
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface RequestDetails {
  readonly route: RouteOfOperation
  readonly keyHeader: string
  readonly input: AnyInput
  readonly baseUrl: string
  readonly apiKey: string
  readonly userAgent: string
  /** The sub-user that the call runs as. */
  readonly behalf: string | undefined
  readonly idempotencyKey: string | undefined
}

export function wireRequest(details: RequestDetails): WireRequest {
  const { input, behalf, idempotencyKey } = details
  const { method, path } = details.route
  const body = input.body === undefined ? undefined : JSON.stringify(input.body)
  return {
    method,
    url: details.baseUrl + pathOf(path, input.params ?? {}) + queryOf(input.query ?? {}),
    headers: {
      accept: 'application/json',
      [details.keyHeader]: details.apiKey,
      'user-agent': details.userAgent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(behalf === undefined ? {} : { 'on-behalf-of': headerText(behalf, 'A sub-user') }),
      ...(idempotencyKey === undefined
        ? {}
        : { 'idempotency-key': headerText(idempotencyKey, 'An idempotency key') }),
    },
    body,
  }
}

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(params[name], name))
}

/**
 * An empty segment or one of dots would change the route: `/users/../fund` is `/fund`, however it is
 * escaped.
 */
function segmentOf(value: string | undefined, name: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${name} must be a reference, not ${JSON.stringify(value)}`)
  }
  return encodeURIComponent(value)
}

function queryOf(query: object): string {
  const pairs = queryPairs(query).map((pair) => pair.map(encodeURIComponent).join('='))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** The parameters of a query, by name and value; one that is undefined or null is left out. */
export const queryPairs = (query: object): [name: string, value: string][] =>
  Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || value === null
      ? []
      : queryTexts(name, value).map((text): [string, string] => [name, text]),
  )

/** Names of these may contain commas: the service takes the parameter once for each. */
const REPEATED: ReadonlySet<string> = new Set(['stickers'])

function queryTexts(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [String(value)]
  const values = value.map(String)
  if (values.includes('')) throw new TypeError(`${name}: a value of a list must not be empty`)
  if (!values.some((one) => one.includes(','))) return [values.join(',')]
  if (!REPEATED.has(name)) {
    throw new TypeError(`${name}: a value of a list must not contain a comma`)
  }
  // What is there once would be read as a list.
  return values.length === 1 ? [...values, ...values] : values
}

/**
 * Header values are bytes. Non-ASCII text is sent as UTF-8, one character for each byte. Spaces at the ends
 * are stripped on the way, which could name another sub-user, so they are refused here.
 */
export function headerText(text: string, what: string): string {
  if (text === '' || text !== text.trim()) {
    throw new TypeError(`${what} must not be empty or begin or end with a space`)
  }
  if (/\p{Surrogate}|\p{Cc}/u.test(text)) {
    throw new TypeError(`${what} must not contain control characters or halves of characters`)
  }
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}
