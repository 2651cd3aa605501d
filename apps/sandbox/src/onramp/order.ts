/** One purchase of tokens by card, begun by the merchant and paid on the provider's page. */
export interface OnrampOrder {
  readonly seq: number
  readonly orderId: number
  /** Names the order in the page's address. */
  readonly hash: string
  /** The merchant's application that began it. */
  readonly appId: string
  readonly merchantRecognitionId: string
  readonly coinCode: string
  readonly network: string
  readonly walletAddress: string
  readonly fiatType: number
  readonly fiatCents: number
  readonly coinCents: number
  readonly rateTenThousandths: number
  readonly feeCents: { readonly onramp: number; readonly gateway: number; readonly gas: number }
  readonly redirectUrl: string | null
  readonly createdMs: number
  readonly updatedMs: number
  readonly status: number
  /** When the next step of its own is due; null when none is. */
  readonly dueMs: number | null
  /** Tokens that were sent, in hundredths; 0 until then. */
  readonly sentCents: number
  readonly transactionHash: string
}

/** The provider's codes. Below zero an order has failed; 15 is complete. */
export const STATUS = {
  amountMismatch: -4,
  nameMismatch: -3,
  abandoned: -2,
  timedOut: -1,
  created: 0,
  depositSecured: 2,
  purchasing: 12,
  withdrawing: 14,
  complete: 15,
} as const

/** For people: `timedOut (-1)`. */
export const statusName = (status: number): string => {
  const [name = 'unknown'] = Object.entries(STATUS).find(([, code]) => code === status) ?? []
  return `${name} (${status})`
}

/** The step that follows by itself; an order that waits for its payer times out. */
const NEXT: Readonly<Record<number, number>> = {
  [STATUS.created]: STATUS.timedOut,
  [STATUS.depositSecured]: STATUS.purchasing,
  [STATUS.purchasing]: STATUS.withdrawing,
  [STATUS.withdrawing]: STATUS.complete,
}

export const nextStatus = (status: number): number | null => NEXT[status] ?? null

export const isWaiting = ({ status }: OnrampOrder): boolean => status === STATUS.created
export const isUnderWay = ({ status }: OnrampOrder): boolean =>
  nextStatus(status) !== null && status !== STATUS.created
