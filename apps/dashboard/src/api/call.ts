// Calls of the dashboard's interface: the envelope, the CSRF token, and the step-up before sensitive acts.
import type { dashboardRoutes } from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'
import { isAttended } from './attendance.ts'
import { ROUTES } from './routes.ts'

type Routes = typeof dashboardRoutes
export type RouteId = keyof Routes
type Part<Route, Name extends string> = Route extends {
  readonly [K in Name]: infer S extends TSchema
}
  ? { readonly [K in Name]: Static<S> }
  : unknown
export type Request<Id extends RouteId> = Part<Routes[Id], 'params'> &
  Part<Routes[Id], 'body'> & {
    readonly query?: Readonly<Record<string, string | number | undefined>>
    /** Made with the form that moves money, so that a second click repeats nothing. */
    readonly idempotencyKey?: string
    /** For a request that waits. */
    readonly signal?: AbortSignal
  }
export type Answer<Id extends RouteId> = Static<Routes[Id]['response']>

/** What the service refused, or that it could not be reached (`OFFLINE`). */
export class ApiError extends Error {
  readonly key: string
  readonly meta: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  constructor(
    key: string,
    meta: Readonly<Record<string, unknown>> = {},
    requestId: string | null = null,
  ) {
    super(key)
    this.name = 'ApiError'
    this.key = key
    this.meta = meta
    this.requestId = requestId
  }
}

export interface ChallengeDetails {
  readonly challengeId: string
  readonly methods: readonly ('passkey' | 'email' | 'totp' | 'recovery')[]
}

/** Shows the dialog that answers a challenge; resolves to whether it was answered. */
type AskForFactor = (challenge: ChallengeDetails) => Promise<boolean>

/** Receives when a change was sent (Unix ms), after its answer or its failure. */
type MarkStale = (sentAt: number) => void

let csrfToken: string | null = null
let askForFactor: AskForFactor | null = null
let markStale: MarkStale = () => {}
/** How many changes have ended: a read that was under way meanwhile is sent again. */
let changes = 0

export const rememberCsrfToken = (token: string | null): void => {
  csrfToken = token
}
export const onFactorNeeded = (ask: AskForFactor): void => {
  askForFactor = ask
}
/** `mark` is called after each change, before its caller goes on. */
export const onChanged = (mark: MarkStale): void => {
  markStale = mark
}

/**
 * The route's answer. Throws ApiError. A sensitive act asks for a factor and is then sent again as it
 * was. An answer to a read is never older than a change of this page that ended before it arrived.
 */
export async function call<Id extends RouteId>(id: Id, request: Request<Id>): Promise<Answer<Id>> {
  const attempt = ROUTES[id][0] === 'GET' ? read : change
  try {
    return await attempt(id, request)
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'TWO_FACTOR_FRESH_REQUIRED') throw error
    const challenge = error.meta as unknown as ChallengeDetails
    if (askForFactor === null || !(await askForFactor(challenge))) throw error
    return attempt(id, request)
  }
}

async function read<Id extends RouteId>(id: Id, request: Request<Id>): Promise<Answer<Id>> {
  for (;;) {
    const seen = changes
    const answer = await send(id, request)
    if (seen === changes) return answer
  }
}

/** Changes that have no answer yet. */
const unanswered = new Set<AbortController>()
let onUnanswered: () => void = () => {}

export const isChanging = (): boolean => unanswered.size > 0

export const onChanging = (listener: () => void): (() => void) => {
  onUnanswered = listener
  return () => {
    onUnanswered = () => {}
  }
}

/** Each fails as without a network; the service may make it all the same. */
export const giveUpChanges = (): void => {
  for (const one of unanswered) one.abort()
}

/** A change that was refused or not answered may have been made as well, or shows that a page is old. */
async function change<Id extends RouteId>(id: Id, request: Request<Id>): Promise<Answer<Id>> {
  const sentAt = Date.now()
  const open = new AbortController()
  unanswered.add(open)
  onUnanswered()
  try {
    return await sendWithToken(id, { ...request, signal: open.signal })
  } finally {
    unanswered.delete(open)
    onUnanswered()
    changes += 1
    window.begun?.clear()
    markStale(sentAt)
  }
}

/** Another tab may have renewed the session since this one read its token: nothing was done then. */
async function sendWithToken<Id extends RouteId>(
  id: Id,
  request: Request<Id>,
): Promise<Answer<Id>> {
  try {
    return await send(id, request)
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'CSRF_TOKEN_INVALID') throw error
    await send('getSession', {})
    return send(id, request)
  }
}

interface Envelope {
  readonly requestId?: string
  readonly data?: unknown
  readonly error?: { readonly key: string; readonly meta?: Readonly<Record<string, unknown>> }
}

declare global {
  interface Window {
    /** Reads that public/boot.js began before this bundle was loaded, by path. */
    readonly begun?: Map<string, Promise<Envelope>>
  }
}

/** Each serves once. */
function takeBegun(method: string, path: string): Promise<Envelope> | undefined {
  if (method !== 'GET') return undefined
  const begun = window.begun?.get(path)
  window.begun?.delete(path)
  return begun
}

async function send<Id extends RouteId>(id: Id, request: Request<Id>): Promise<Answer<Id>> {
  const {
    params = {},
    query = {},
    body,
    idempotencyKey,
    signal,
  } = request as {
    params?: Readonly<Record<string, string>>
    query?: Readonly<Record<string, string | number | undefined>>
    body?: unknown
    idempotencyKey?: string
    signal?: AbortSignal
  }
  const [method, pattern] = ROUTES[id]
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  const suffix = search.size > 0 ? `?${search}` : ''
  let envelope: Envelope
  try {
    envelope = await (takeBegun(method, path + suffix) ??
      fetch(path + suffix, {
        method,
        ...(signal && { signal }),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(method === 'GET' && !isAttended() && { 'x-unattended': '1' }),
          ...(method !== 'GET' && csrfToken !== null && { 'x-csrf-token': csrfToken }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then((response) => response.json() as Promise<Envelope>))
  } catch {
    throw new ApiError('OFFLINE')
  }
  const { requestId = null, data, error } = envelope
  if (error !== undefined) throw new ApiError(error.key, error.meta, requestId)
  const token = (data as { csrfToken?: unknown } | null)?.csrfToken
  if (typeof token === 'string') rememberCsrfToken(token)
  return data as Answer<Id>
}
