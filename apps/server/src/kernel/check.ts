// A question to a counterpart whose answer is compared with what our adapter expects of it. It changes
// nothing there and costs nothing, unless its maker says otherwise.

export interface Check {
  readonly name: string
  run(context: CheckContext): Promise<Finding>
}

export interface CheckContext {
  readonly requestId: string
  readonly signal: AbortSignal
}

/** `detail` is one sentence for an operator, and may quote the counterpart: it is shown without secrets. */
export interface Finding {
  readonly kind: 'as_expected' | 'differs' | 'not_tried'
  readonly detail: string
}

export const asExpected = (detail: string): Finding => ({ kind: 'as_expected', detail })
export const differs = (detail: string): Finding => ({ kind: 'differs', detail })
export const notTried = (detail: string): Finding => ({ kind: 'not_tried', detail })

/** An account of the operator's own on the platform, for which trials buy. */
export interface TestBuyer {
  readonly platformId: string
  readonly partner: number
  readonly token: string
  /** Its trade URL. */
  readonly canonical: string
}
