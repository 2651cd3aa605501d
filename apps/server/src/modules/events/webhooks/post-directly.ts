// One signed message to a tenant, outside of the queue: for a question whose answer is waited for.
import { batched } from '#infra/database/batch'
import type { Queryable, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { beginPart } from '#infra/tracing/tracing'
import { urlProblem } from './address.ts'
import { endAttempt, type SigningSecrets, secretsAt } from './attempt.ts'
import type { Dialects, SecretBox, WebhookAnswer, WebhookSender } from './ports.ts'
import { type Endpoint, readEndpointsOf } from './store/endpoints.ts'

export interface DirectDeps {
  readonly db: Queryable
  readonly clock: Clock
  readonly sender: WebhookSender
  readonly secrets: SecretBox
  readonly dialects: Dialects
  readonly allowPrivate: boolean
}

/** A URL that the tenant has set for such messages, with the secret of its own that signs them. */
export interface OwnUrl extends Omit<SigningSecrets, 'tenantId'> {
  readonly url: string
}

type Target = SigningSecrets & Pick<Endpoint, 'url' | 'dialect'>

export interface DirectMessage {
  readonly tenantId: string
  readonly own: OwnUrl | null
  /** The webhook-id. */
  readonly id: string
  readonly eventType: string
  readonly createdAt: Date
  readonly data: unknown
  readonly deadlineMs: number
}

export interface DirectPosts {
  /**
   * A tenant's own URL, else its oldest endpoint while that is enabled; null when neither can be used. As a
   * transaction sees it where one is given.
   */
  findUrl(tenantId: string, own: OwnUrl | null, tx?: Tx): Promise<string | null>
  /** Signed with the secret of the URL that it is posted to. Null without a usable URL. */
  post(message: DirectMessage): Promise<DirectPost | null>
}

export interface DirectPost {
  readonly answer: WebhookAnswer
  /** The body. */
  readonly sent: string
  /** Where it was posted. */
  readonly url: string
}

export function createDirectPosts(deps: DirectDeps): DirectPosts {
  const { db, clock, sender, secrets, dialects, allowPrivate } = deps
  const findEndpoint = batched((tenantIds: readonly string[]) => readEndpointsOf(db, tenantIds))
  const findTarget = async (
    tenantId: string,
    own: OwnUrl | null,
    tx?: Tx,
  ): Promise<Target | null> => {
    if (own !== null) {
      const isAllowed = urlProblem(own.url, { allowPrivate }) === null
      return isAllowed ? { ...own, tenantId, dialect: 'merchant' } : null
    }
    const endpoint = tx ? (await readEndpointsOf(tx, [tenantId]))[0] : await findEndpoint(tenantId)
    return endpoint?.status === 'enabled' ? endpoint : null
  }
  return {
    findUrl: async (tenantId, own, tx) => (await findTarget(tenantId, own, tx))?.url ?? null,

    post: async ({ tenantId, own, id, eventType, createdAt, data, deadlineMs }) => {
      const target = await findTarget(tenantId, own)
      if (target === null) return null
      const { url } = target
      const now = clock.now()
      const keys = secretsAt(target, secrets, now)
      const dialect = dialects[target.dialect]
      const body = dialect.body({ id, eventType, createdAt }, data)
      const timestampSeconds = Math.floor(now.getTime() / 1000)
      // What its interface defines, whatever form the endpoint has for events.
      const headers = dialect.headers({ id, timestampSeconds, body }, keys, 'service')
      const span = beginPart('webhook callback')
      span?.set('tradepost.event_type', eventType)
      if (sender.sendsTraceparent && span !== null) headers.traceparent = span.traceparent
      const answer = await sender.post({ owner: tenantId, url, headers, body, deadlineMs })
      if (span !== null) endAttempt(span, answer)
      return { answer, sent: body, url }
    },
  }
}
