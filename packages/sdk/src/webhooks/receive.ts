// What every adapter does with a delivery: verify it, call the handler, and answer.
import type { WebhookEvent } from '../generated/events.ts'
import { APPROVAL_EVENT, type DecideWithdrawal, withdrawalOf } from './approval.ts'
import {
  type SignatureHeader,
  type SignedDelivery,
  type VerifyOptions,
  WebhookSignatureError,
} from './signature.ts'
import { verifyWebhook } from './verify.ts'

export interface WebhookHandlerOptions {
  /** `whsec_…`, whole. Several while you change yours. */
  readonly secret: string | readonly string[]
  /**
   * Called with each event that is signed. When it throws or rejects the service sends the event again
   * later. It has 10 seconds; keep the event and answer, and work on it afterwards.
   */
  readonly onEvent: (event: WebhookEvent) => unknown
  /**
   * Decides on withdrawals when this is also your callback address. Without it every withdrawal is refused;
   * otherwise an endpoint that accepts all events would approve payouts that were never checked.
   */
  readonly onApproval?: DecideWithdrawal | undefined
  /** 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** `webhook-signature` by default; see `@tradepost/sdk/partner` for the other. */
  readonly signatureHeader?: SignatureHeader | undefined
  /** A larger body is refused unread. 1 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /** Called with each refused delivery, for logs. */
  readonly onRefused?: ((error: WebhookSignatureError) => void) | undefined
}

export interface WebhookAnswer {
  readonly status: 204 | 401 | 403 | 413
  /** JSON, or empty. */
  readonly body: string
}

export const MAX_BODY_BYTES = 1_048_576

/** What `onEvent` throws is passed on: each framework has its own way to answer 500. */
export async function receive(
  delivery: SignedDelivery,
  options: WebhookHandlerOptions,
): Promise<WebhookAnswer> {
  let event: WebhookEvent
  try {
    event = await verifyWebhook(delivery, verifyOptionsOf(options))
  } catch (error) {
    if (!(error instanceof WebhookSignatureError)) throw error
    options.onRefused?.(error)
    return {
      status: 401,
      body: JSON.stringify({ error: { key: error.key, reason: error.reason } }),
    }
  }
  if ((event.type as string) === APPROVAL_EVENT) return decide(event, options)
  await options.onEvent(event)
  return { status: 204, body: '' }
}

/** Only the value true approves a withdrawal. */
async function decide(
  event: WebhookEvent,
  { onApproval }: WebhookHandlerOptions,
): Promise<WebhookAnswer> {
  const withdrawal = withdrawalOf(event)
  const isApproved =
    onApproval !== undefined && withdrawal !== null && (await onApproval(withdrawal)) === true
  return isApproved ? { status: 204, body: '' } : REJECTED
}

const REJECTED: WebhookAnswer = {
  status: 403,
  body: JSON.stringify({ error: { key: 'FORBIDDEN', reason: 'withdrawal_rejected' } }),
}

const verifyOptionsOf = ({
  secret,
  toleranceSeconds,
  signatureHeader,
}: WebhookHandlerOptions): VerifyOptions => ({ secret, toleranceSeconds, signatureHeader })

export const TOO_LARGE: WebhookAnswer = {
  status: 413,
  body: JSON.stringify({ error: { key: 'BAD_REQUEST', reason: 'too_large' } }),
}

/**
 * Collects the chunks of a body; null when they are more than wanted. A body that announces its length is
 * refused before a byte of it is read.
 */
export async function collect(
  chunks: AsyncIterable<Uint8Array | string>,
  announced: string | null | undefined,
  maxBodyBytes: number = MAX_BODY_BYTES,
): Promise<Uint8Array | null> {
  if (Number(announced) > maxBodyBytes) return null
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    const part = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    length += part.length
    if (length > maxBodyBytes) return null
    parts.push(part)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.length
  }
  return body
}
