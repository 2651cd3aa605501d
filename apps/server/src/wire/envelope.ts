// What is around every answer, as text: the shape inside was serialised by a compiled function, so the
// envelope is joined on and nothing is walked a second time.
import { ERRORS, type ErrorKey, errorMessage } from '@tradepost/contract'

/** Everything before the shape. With `SUCCESS_TAIL`, for answers that were prepared beforehand. */
export const successHead = (requestId: string): string =>
  `{"requestId":"${requestId}","success":true,"data":`

export const SUCCESS_TAIL = '}'

export const successText = (requestId: string, dataText: string): string =>
  `{"requestId":"${requestId}","success":true,"data":${dataText}}`

export interface FailureDetails {
  readonly key: ErrorKey
  /** Instead of the catalogue's message, where a narrower cause is known. */
  readonly message?: string
  readonly meta?: Readonly<Record<string, unknown>> | undefined
}

export function failureText(requestId: string, { key, message, meta }: FailureDetails): string {
  const entry = ERRORS[key]
  return JSON.stringify(
    {
      requestId,
      success: false,
      error: {
        code: entry.code,
        key,
        message: message ?? errorMessage(key, meta),
        ...(meta && Object.keys(meta).length > 0 ? { meta } : {}),
      },
    },
    bigintAsNumber,
  )
}

// Details of refusals carry cents, which are bigint inside and JSON numbers on the wire.
const bigintAsNumber = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value
