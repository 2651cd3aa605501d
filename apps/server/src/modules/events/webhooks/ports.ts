// What webhooks need from outside the module: one POST to a tenant's endpoint, a box that seals secrets,
// and the text of a delivery in the dialect of its interface.

export interface WebhookRequest {
  /** A merchant, or a partner for all of its children: no owner takes all attempts of a host. */
  readonly owner: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For everything: name resolution, connection, headers and body. */
  readonly deadlineMs: number
}

export type WebhookAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The first 16 KiB. */
      readonly body: string
      /** The `retry-after` header in seconds, when it is there and readable. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'timeout' }
  /** The address is not a public one. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'failed'; readonly detail: string }
  /** The cause is on our side and says nothing of the endpoint: it is to be tried again, uncounted. */
  | { readonly kind: 'deferred'; readonly cause: DeferralCause }

/**
 * `resolver`: no name server answers us. `host_busy`: as many attempts as one host may have, or one owner
 * there, are under way. `stalled`: this process stood still while it should have read the answer; the request
 * may have arrived.
 */
export type DeferralCause = 'resolver' | 'host_busy' | 'stalled'

export interface WebhookSender {
  /** An operator wants requests to carry the trace that they belong to. */
  readonly sendsTraceparent?: boolean
  post(request: WebhookRequest): Promise<WebhookAnswer>
}

/** Seals secrets for the database; a sealed value is useless without the process's key. */
export interface SecretBox {
  /** `context` is bound to the text: a secret moved to another row does not open. */
  seal(secret: string, context: string): string
  open(sealed: string, context: string): string
}

/** Which interface an endpoint belongs to. */
export type DialectName = 'merchant' | 'partner'

/** `service` is the dialect's own form, `standard` that of Standard Webhooks 1.0. */
export type SignatureForm = 'service' | 'standard'

export interface SignedMessage {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/** How one interface writes a delivery: its envelope and its headers. */
export interface WebhookDialect {
  body(
    event: { readonly id: string; readonly eventType: string; readonly createdAt: Date },
    data: unknown,
  ): string
  /** With a signature for the previous secret too while that is still valid. */
  headers(
    message: SignedMessage,
    secrets: { readonly current: string; readonly previous: string | null },
    form?: SignatureForm,
  ): Record<string, string>
}

export type Dialects = Readonly<Record<DialectName, WebhookDialect>>
