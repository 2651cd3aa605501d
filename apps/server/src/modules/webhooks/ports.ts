// What webhooks need from the world: one POST to a merchant's address, and nothing that follows from it.

export interface WebhookRequest {
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

export interface WebhookSender {
  post(request: WebhookRequest): Promise<WebhookAnswer>
}

/** Seals secrets for the database; a sealed value is useless without the process's key. */
export interface SecretBox {
  /** `context` is bound to the text: a secret moved to another row does not open. */
  seal(secret: string, context: string): string
  open(sealed: string, context: string): string
}
