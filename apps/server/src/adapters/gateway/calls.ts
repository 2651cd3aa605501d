// Signed calls to Gate Pay: HMAC-SHA512 over `timestamp\nnonce\nbody\n`, the timestamp at most 10 s away from
// the provider's clock, a nonce that is used once. Answers are an envelope of status, code and data.
import { randomBytes } from 'node:crypto'
import type { SendGuard } from '#infra/jobs/send-guard'
import { cut } from '#kernel/text'
import type { CallContext } from '#ports/deposits'
import {
  createDepositCalls,
  type DepositCallsDeps,
  type SendDepositCall,
  unavailable,
} from '../shared/deposit-calls.ts'
import { hmacSha512 } from '../shared/hmac.ts'
import { fieldsOf, own, parseJson, textOf } from '../shared/reader.ts'

export interface GatewayAccount {
  readonly baseUrl: string
  readonly clientId: string
  readonly secret: string
}

export interface GatewayCall {
  readonly operation: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Present: a POST. */
  readonly body?: unknown
  readonly creates?: boolean
  readonly guard?: SendGuard
}

export type GatewayAnswer =
  | { readonly kind: 'success'; readonly data: unknown }
  /** The provider's own refusal, which it names by a code. */
  | { readonly kind: 'refusal'; readonly code: string; readonly detail: string }
  | { readonly kind: 'not-sent'; readonly detail: string; readonly retryAfterMs: number }
  | { readonly kind: 'unknown'; readonly detail: string; readonly retryAfterMs: number }

export type CallGateway = (call: GatewayCall, context: CallContext) => Promise<GatewayAnswer>

/** Codes by which the provider says that it failed itself: what it has done is then unknown. */
const OWN_FAULTS = new Set(['300000', '300001', '400000'])
const RETRY_MS = 5_000

export function createGatewayCalls(
  account: GatewayAccount,
  deps: DepositCallsDeps & { readonly deadlineMs: number },
): CallGateway {
  const send: SendDepositCall = createDepositCalls('gateway', deps)
  return async ({ operation, path, query, body, creates = false, guard }, context) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const timestamp = String(deps.clock.now().getTime())
    const nonce = randomBytes(12).toString('hex')
    const outcome = await send(
      {
        operation,
        method: body === undefined ? 'GET' : 'POST',
        url: `${account.baseUrl}${path}`,
        ...(query === undefined ? {} : { query }),
        ...(body === undefined ? {} : { body: text }),
        headers: {
          'X-GatePay-Certificate-ClientId': account.clientId,
          'X-GatePay-Timestamp': timestamp,
          'X-GatePay-Nonce': nonce,
          'X-GatePay-Signature': hmacSha512(account.secret, `${timestamp}\n${nonce}\n${text}\n`),
        },
        deadlineMs: deps.deadlineMs,
        creates,
        guard,
      },
      context,
    )
    return outcome.kind === 'answer' ? readEnvelope(outcome.body) : outcome
  }
}

/**
 * The status decides: the code of a success is `000000`, empty or null. Some answers come without the
 * envelope, as the data alone, which may have a status of its own.
 */
function readEnvelope(body: unknown): GatewayAnswer {
  const fields = fieldsOf(body)
  if (fields === null) return { kind: 'success', data: body }
  const status = own(fields, 'status')
  if (status === 'SUCCESS') return { kind: 'success', data: dataOf(own(fields, 'data')) }
  const code = textOf(own(fields, 'code'))
  if (status !== 'FAIL' && code === null) return { kind: 'success', data: body }
  const detail = cut(`${code ?? status}: ${textOf(own(fields, 'errorMessage')) ?? ''}`, 200)
  if (code === null || OWN_FAULTS.has(code)) {
    return { kind: 'unknown', detail, retryAfterMs: RETRY_MS }
  }
  return { kind: 'refusal', code, detail }
}

/** An object or a list, as it is or as JSON text. */
const dataOf = (data: unknown): unknown =>
  typeof data === 'string' ? (parseJson(data) ?? data) : data

/** An answer that brings nothing that can be read. */
export const unreadable = (answer: Exclude<GatewayAnswer, { kind: 'success' }>) =>
  answer.kind === 'refusal'
    ? unavailable(answer.detail)
    : unavailable(answer.detail, answer.retryAfterMs)
