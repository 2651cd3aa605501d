// Posting an event to a program on this machine as the service posts a delivery: same headers, a valid
// signature, ten seconds.
import { createHmac } from 'node:crypto'
import { usageError } from './failure.ts'
import type { WebhookEvent } from './sdk.ts'
import type { World } from './world.ts'

export type ForwardAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly durationMs: number }
  | { readonly kind: 'unanswered'; readonly reason: string; readonly durationMs: number }

const DEADLINE_MS = 10_000

/** A secret of the form that the service gives to endpoints. */
export const newSecret = (world: World): string =>
  `whsec_${Buffer.from(world.randomBytes(32)).toString('base64url')}`

export async function forward(
  world: World,
  event: WebhookEvent,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<ForwardAnswer> {
  const { id, type, createdAt, data } = event
  const body = JSON.stringify({ id, type, createdAt, data })
  const startedMs = world.now().getTime()
  const timestamp = String(Math.floor(startedMs / 1000))
  const signature = createHmac('sha256', secret)
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64url')
  const passed = (): number => world.now().getTime() - startedMs
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1.0',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `t=${timestamp},s=${signature}`,
      },
      body,
      // A redirect is a failure to the service, so it is one here.
      redirect: 'manual',
      signal: AbortSignal.any([world.signal, AbortSignal.timeout(DEADLINE_MS)]),
    })
    await response.body?.cancel()
    return { kind: 'answered', status: response.status, durationMs: passed() }
  } catch (error) {
    return { kind: 'unanswered', reason: reasonOf(error), durationMs: passed() }
  }
}

export const isDelivered = (answer: ForwardAnswer): boolean =>
  answer.kind === 'answered' && answer.status >= 200 && answer.status < 300

/** `4000/hook` and `localhost:4000/hook` mean this machine. */
export function forwardUrl(text: string): string {
  const whole = /^https?:\/\//i.test(text)
    ? text
    : /^:?\d+(\/|$)/.test(text)
      ? `http://localhost:${text.replace(/^:/, '')}`
      : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : null
  if (
    url === null ||
    hasOtherScheme(text) ||
    url.hostname === '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw usageError(`${JSON.stringify(text)} is no address such as http://localhost:4000/hook`)
  }
  return url.href
}

const hasOtherScheme = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) && !/^https?:/i.test(text)

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1000} s`
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  if (cause?.code === 'ECONNREFUSED') return 'nobody listens there'
  return cause?.code ?? cause?.message ?? (error as Error).message
}
