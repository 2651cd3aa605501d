// Signed calls to the on-ramp: each is a POST whose payload, base64 of `{timestamp, body}`, is signed with
// HMAC-SHA512 and travels in a header beside the plain body.
import { cut } from '#kernel/text'
import type { CallContext } from '#ports/deposits'
import { createDepositCalls, type DepositCallsDeps } from '../shared/deposit-calls.ts'
import { hmacSha512 } from '../shared/hmac.ts'
import { fieldsOf, own, smallIntegerOf, textOf } from '../shared/reader.ts'

export interface OnrampAccount {
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
}

export interface OnrampCall {
  readonly operation: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export type OnrampAnswer =
  | { readonly kind: 'success'; readonly data: unknown }
  /** The provider's own refusal, by its code; 500 and above is `unknown`. */
  | { readonly kind: 'refusal'; readonly code: number; readonly detail: string }
  | { readonly kind: 'not-sent'; readonly detail: string; readonly retryAfterMs: number }
  | { readonly kind: 'unknown'; readonly detail: string; readonly retryAfterMs: number }

export type CallOnramp = (call: OnrampCall, context: CallContext) => Promise<OnrampAnswer>

const RETRY_MS = 5_000

export function createOnrampCalls(
  account: OnrampAccount,
  deps: DepositCallsDeps & { readonly deadlineMs: number },
): CallOnramp {
  const send = createDepositCalls('onramp', deps)
  return async ({ operation, path, body }, context) => {
    const timestamp = deps.clock.now().getTime()
    const payload = Buffer.from(JSON.stringify({ timestamp, body })).toString('base64')
    const outcome = await send(
      {
        operation,
        method: 'POST',
        url: `${account.baseUrl}${path}`,
        body: JSON.stringify(body),
        headers: {
          'X-ONRAMP-APIKEY': account.apiKey,
          'X-ONRAMP-PAYLOAD': payload,
          'X-ONRAMP-SIGNATURE': hmacSha512(account.secret, payload),
        },
        deadlineMs: deps.deadlineMs,
      },
      context,
    )
    return outcome.kind === 'answer' ? readAnswer(outcome.status, outcome.body) : outcome
  }
}

/** `status` 1 is success. The code is in the answer and repeated as its HTTP status. */
function readAnswer(httpStatus: number, body: unknown): OnrampAnswer {
  const fields = fieldsOf(body) ?? {}
  if (smallIntegerOf(own(fields, 'status')) === 1) {
    return { kind: 'success', data: own(fields, 'data') }
  }
  const code = smallIntegerOf(own(fields, 'code')) ?? httpStatus
  const detail = cut(`${code}: ${textOf(own(fields, 'error')) ?? ''}`, 200)
  // A refusal says so; an answer without `status` may come from something in front of the provider.
  if (code >= 500 || code < 400 || smallIntegerOf(own(fields, 'status')) !== 0) {
    return { kind: 'unknown', detail, retryAfterMs: RETRY_MS }
  }
  return { kind: 'refusal', code, detail }
}
