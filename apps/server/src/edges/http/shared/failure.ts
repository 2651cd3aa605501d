// From anything that was thrown to what the caller sees. The only place that knows HTTP statuses.
import type { IncomingHttpHeaders } from 'node:http'
import { ERRORS, type ErrorEntry, type ErrorKey, type ValidationProblem } from '@tradepost/contract'
import { isBusy, isConnectionLoss } from '#infra/database/db'
import { Refusal } from '#kernel/refusal'
import { namesIn } from './pointer.ts'

// Every module refuses with a key of the contract's catalogue, or does not compile.
declare module '#kernel/refusal' {
  interface RefusalCatalogue extends Record<ErrorKey, unknown> {}
}

export interface Failure {
  readonly status: number
  readonly key: ErrorKey
  readonly message?: string
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds?: number
  /** What the log must show: our own fault, or an outside system's. Absent for a refusal. */
  readonly fault?: 'bug' | 'database' | 'busy'
}

/** Statuses that a key has for a narrower cause than the catalogue's. */
export type UnreadableStatus = 400 | 408 | 413 | 415 | 417 | 431

const UNREADABLE: Readonly<Record<UnreadableStatus, string>> = {
  400: 'The request cannot be read.',
  408: 'The request did not arrive in time.',
  413: 'The body is too large.',
  415: 'The body must be application/json in UTF-8, and not encoded.',
  417: 'This expectation cannot be met.',
  431: 'The headers are too large.',
}

/** A request that could not be read as HTTP and JSON. */
export const unreadable = (
  status: UnreadableStatus,
  message: string = UNREADABLE[status],
): Failure => ({ status, key: 'BAD_REQUEST', message })

/** A refusal whose message the edge knows better than the catalogue. */
export class PlainRefusal extends Refusal {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.key, failure.meta)
    this.failure = failure
  }
}

/** `indexed` names a list of the body: `meta.index` is the place of its first entry that has a problem. */
export function invalid(errors: readonly ValidationProblem[], indexed?: string): Failure {
  const index = indexed === undefined ? null : indexIn(indexed, errors)
  return refused('VALIDATION_FAILED', { errors, ...(index !== null && { index }) })
}

function indexIn(list: string, errors: readonly ValidationProblem[]): number | null {
  const ofEntry = new RegExp(`^/${list}/(\\d+)(?:/|$)`)
  const places = errors.flatMap(({ in: place, pointer }) =>
    place === 'body' ? (ofEntry.exec(pointer)?.[1] ?? []) : [],
  )
  return places.length > 0 ? Math.min(...places.map(Number)) : null
}

/** About the first field; `meta` lists all of them, with the rule of each. */
function messageOf([first]: readonly ValidationProblem[]): string {
  if (first === undefined) return ERRORS.VALIDATION_FAILED.message
  return `${fieldOf(first)} ${first.message.replace(/\.$/, '')}.`
}

/** `items[0].maxPrice`, as in code, of the pointer `/items/0/maxPrice`. */
function fieldOf({ in: place, pointer }: ValidationProblem): string {
  if (pointer === '') return `The ${place}`
  const path = namesIn(pointer)
    .map((name, depth) => (/^\d+$/.test(name) ? `[${name}]` : depth === 0 ? name : `.${name}`))
    .join('')
  return place === 'header' ? `The header ${path}` : path
}

export function refused(
  key: ErrorKey,
  meta?: Readonly<Record<string, unknown>> | undefined,
): Failure {
  const entry: ErrorEntry = ERRORS[key]
  const { retryAfterSeconds = entry.retryAfterSeconds } = meta ?? {}
  return {
    status: entry.status,
    key,
    meta,
    ...(key === 'VALIDATION_FAILED' &&
      Array.isArray(meta?.errors) && { message: messageOf(meta.errors) }),
    ...(typeof retryAfterSeconds === 'number' && {
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
    }),
  }
}

/** Names the header that carries the key, and that no other one does. */
export const missingKey = (header: string, { authorization }: IncomingHttpHeaders): Failure => ({
  ...refused('MISSING_API_KEY'),
  message: `Send your API key in the header ${header}.${
    authorization === undefined ? '' : ' Authorization is not read.'
  }`,
})

type Address = { readonly method: string; readonly url: string }

/** No route has this method and path, for any caller. */
export const notFound = ({ method, url }: Address) => ({
  ...refused('NOT_FOUND'),
  message: `There is no route ${method} ${shownPath(url)}.`,
})

/** It would be there without the slash at its end. */
export const slashTooMany = (failure: Failure, { method }: Address, path: string): Failure => ({
  ...failure,
  message: `${failure.message} There is ${method} ${shownPath(path)}, without the slash at its end.`,
})

const MAX_SHOWN_PATH = 128

/** A path as far as it is safe to repeat: letters, digits and few signs; the query may hold a secret. */
function shownPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  const plain = path.replace(/(?:%[\da-f]{2}|[^\w/.~-])+/gi, '…')
  return plain.length > MAX_SHOWN_PATH ? `${plain.slice(0, MAX_SHOWN_PATH)}…` : plain
}

/** Thrown by a handler for a field that no schema could refuse. */
export const refuseField = (problem: ValidationProblem, indexed?: string): never => {
  throw new Refusal('VALIDATION_FAILED', invalid([problem], indexed).meta)
}

export function failureOf(error: unknown): Failure {
  if (error instanceof PlainRefusal) return error.failure
  if (error instanceof Refusal) return refused(error.key, error.details)
  if (isBusy(error)) return BUSY
  if (isConnectionLoss(error)) return DATABASE_LOST
  const status = frameworkStatus(error)
  if (status !== null) return unreadable(status)
  return INTERNAL
}

const INTERNAL: Failure = {
  status: ERRORS.INTERNAL_ERROR.status,
  key: 'INTERNAL_ERROR',
  fault: 'bug',
}

// A lost commit may have been kept, so nothing may be promised about the request. SERVICE_DISABLED says
// that nothing was bought, INTERNAL_ERROR that the same request with the same reference finds out.
export const DATABASE_LOST: Failure = {
  status: ERRORS.INTERNAL_ERROR.status,
  key: 'INTERNAL_ERROR',
  message: 'The service could not finish this. Send it again with the same idempotency reference.',
  retryAfterSeconds: 1,
  fault: 'database',
}

// Nothing of the statement was kept, so that the same request may be sent again.
const BUSY: Failure = {
  status: ERRORS.SERVICE_DISABLED.status,
  key: 'SERVICE_DISABLED',
  message: 'The service is too busy for this request. Send it again after the pause.',
  retryAfterSeconds: 1,
  fault: 'busy',
}

/** The status of what the framework throws before any of our own code ran. */
function frameworkStatus(error: unknown): UnreadableStatus | null {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return null
  if (typeof error.code !== 'string' || !error.code.startsWith('FST_ERR_')) return null
  const status = error.statusCode
  if (status === 413 || status === 415) return status
  return typeof status === 'number' && status >= 400 && status < 500 ? 400 : null
}
