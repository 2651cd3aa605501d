// Posts an event to a program on this machine as the service posts a delivery: the same headers, a valid
// signature, a timeout of ten seconds.
import { createHmac } from 'node:crypto'
import type { Environment } from './environment.ts'
import { usageError } from './failure.ts'
import type { WebhookEvent } from './sdk.ts'

export type ForwardAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly durationMs: number
      /** Its text, as far as `MOST_SHOWN` bytes and `BODY_DEADLINE_MS` go. */
      readonly body: string
    }
  | { readonly kind: 'unanswered'; readonly reason: string; readonly durationMs: number }

const DEADLINE_MS = 10_000
const MOST_SHOWN = 4096
/** After the status: the next event does not wait for a body that does not end. */
const BODY_DEADLINE_MS = 300

/** A secret of the form that the service gives to endpoints. */
export const newSecret = (environment: Environment): string =>
  `whsec_${Buffer.from(environment.randomBytes(32)).toString('base64url')}`

export async function forward(
  environment: Environment,
  event: WebhookEvent,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<ForwardAnswer> {
  const { id, type, createdAt, data } = event
  const body = JSON.stringify({ id, type, createdAt, data })
  const startedMs = environment.now().getTime()
  const timestamp = String(Math.floor(startedMs / 1000))
  const signature = createHmac('sha256', secret)
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64url')
  const passed = (): number => environment.now().getTime() - startedMs
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
      // A redirect is a failed delivery, as it is for the service.
      redirect: 'manual',
      signal: AbortSignal.any([environment.signal, AbortSignal.timeout(DEADLINE_MS)]),
    })
    const durationMs = passed()
    const said = await beginningOf(response)
    return { kind: 'answered', status: response.status, durationMs, body: said }
  } catch (error) {
    return { kind: 'unanswered', reason: reasonOf(error), durationMs: passed() }
  }
}

/** The program has answered with its status: what goes wrong with its body afterwards changes nothing. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  const reader = body?.getReader()
  const end = () => void reader?.cancel().catch(() => {})
  const late = setTimeout(end, BODY_DEADLINE_MS)
  try {
    let length = 0
    while (length < MOST_SHOWN) {
      const part = await reader?.read()
      if (part?.value === undefined) break
      chunks.push(part.value)
      length += part.value.length
    }
  } catch {}
  clearTimeout(late)
  end()
  return Buffer.concat(chunks).subarray(0, MOST_SHOWN).toString()
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
    throw usageError(`${JSON.stringify(text)} is not an address such as http://localhost:4000/hook`)
  }
  return url.href
}

const hasOtherScheme = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) && !/^https?:/i.test(text)

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1000} s`
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there'
  return cause?.code ?? cause?.message ?? (error as Error).message
}
