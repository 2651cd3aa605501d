// The failures of a call: the service refused, or the outcome is unknown.
import type { ErrorKey } from './generated/error-keys.ts'
import type { DepositStatus } from './generated/shared.ts'

/** One field that the service refused. */
export interface ValidationProblem {
  in: 'body' | 'query' | 'path' | 'header'
  /** RFC 6901, from the top of that part: `/items/0/maxPrice`. */
  pointer: string
  rule: string
  message: string
}

/** The `meta` of each key; other keys have none. */
/** Of the dashboard's log-in; no call of this client is answered with it. */
export interface TwoFactorChallenge {
  challengeId: string
  methods: string[]
}

/** Of a batch of withdrawals: the place of the one that is refused, from 0. */
interface OfBatch {
  index?: number
}

export interface ErrorMetas {
  VALIDATION_FAILED: { errors: ValidationProblem[]; index?: number }
  SERVICE_DISABLED: ({ reason?: string } & OfBatch) | undefined
  IDEMPOTENCY_CONFLICT: OfBatch | undefined
  USER_NOT_FOUND: OfBatch | undefined
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: OfBatch | undefined
  RATE_LIMITED: {
    scope: 'budget' | 'route' | 'ip'
    policy: string
    limit: number
    windowSeconds: number
    retryAfterSeconds: number
  }
  TWO_FACTOR_REQUIRED: TwoFactorChallenge
  TWO_FACTOR_FRESH_REQUIRED: TwoFactorChallenge
  FORBIDDEN: { requiredScope?: string }
  INSUFFICIENT_BALANCE: { requiredCents: number; availableCents: number }
  SPENDING_LIMIT_REACHED: {
    limit: 'key' | 'perTrade' | 'perDay' | 'openTrades'
    limitCents?: number
    spentCents?: number
    resetsAt?: string
    requiredCents?: number
    limitTrades?: number
    openTrades?: number
  }
  DEPOSIT_AMOUNT_OUT_OF_RANGE: { minUsdCents: number; maxUsdCents: number; depositId?: string }
  DEPOSIT_NOT_CANCELLABLE: { status: DepositStatus; paymentSeen: boolean }
  DEPOSIT_CHAIN_UNSUPPORTED: { chains?: string[]; depositId?: string } | undefined
  QUOTE_INVALID: { depositId?: string }
  GATEWAY_UNAVAILABLE: { depositId?: string; reason?: string } | undefined
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: {
    chain: string
    token: string
    requiredCents: number
  } & OfBatch
  CRYPTO_PAYOUT_DESTINATION_INVALID: { reason: string } & OfBatch
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: {
    minUsdCents?: number
    maxUsdCents: number
    reason?: string
  } & OfBatch
  PRICE_MISMATCH: { listingId?: string; assetid?: string; currentPrice: number }
}

export type ErrorMeta<Key extends ErrorKey> = Key extends keyof ErrorMetas
  ? ErrorMetas[Key]
  : Record<string, unknown> | undefined

/** What both kinds of failure report about the call. */
export interface CallDetails {
  readonly operation: string
  /** How often the request was sent. */
  readonly attempts: number
  /**
   * The idempotency key of a call that moves money. With the same key and the same request the call can be
   * repeated: money moves once.
   */
  readonly idempotencyKey: string | undefined
}

interface RefusalDetails<Key extends ErrorKey> extends CallDetails {
  readonly status: number
  readonly code: number
  readonly key: Key
  readonly message: string
  readonly meta: ErrorMeta<Key>
  readonly requestId: string
  readonly retryAfterSeconds: number | undefined
}

class Refusal<Key extends ErrorKey = ErrorKey> extends Error implements RefusalDetails<Key> {
  override readonly name = 'TradepostError'
  /** Branch on this. Messages are for people and may change. */
  readonly key: Key
  readonly code: number
  readonly status: number
  readonly meta: ErrorMeta<Key>
  /** Quote this to support. */
  readonly requestId: string
  /** How long to wait before a retry, as the service says. */
  readonly retryAfterSeconds: number | undefined
  readonly operation: string
  readonly attempts: number
  readonly idempotencyKey: string | undefined

  constructor(details: RefusalDetails<Key>) {
    super(`${details.key}: ${details.message}`)
    this.key = details.key
    this.code = details.code
    this.status = details.status
    this.meta = details.meta
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.operation = details.operation
    this.attempts = details.attempts
    this.idempotencyKey = details.idempotencyKey
  }
}

/** A refusal with this key. */
export type TradepostErrorOf<Key extends ErrorKey> = Refusal<Key>

/**
 * The service refused. After `error instanceof TradepostError`, `error.key` narrows the type of
 * `error.meta`. A newer service may send keys that this version does not list, so give every `switch` a
 * `default`.
 */
export type TradepostError = { [Key in ErrorKey]: Refusal<Key> }[ErrorKey]

// One class, typed as a union of its instances, so that `key` narrows `meta`.
export const TradepostError = Refusal as unknown as {
  readonly prototype: TradepostError
  new (details: RefusalDetails<ErrorKey>): TradepostError
}

export type TransportReason =
  /** No connection, or it was lost. */
  | 'network'
  /** No complete response within `timeoutMs`. */
  | 'timeout'
  /** A response that is not of the service, such as the page of a proxy. */
  | 'unreadable'

/**
 * There was no response of the service, so the request may or may not have been executed. Repeat it under
 * the same reference (`idempotencyKey`, `externalId`), or look it up.
 */
export class TransportError extends Error implements CallDetails {
  override readonly name = 'TransportError'
  readonly reason: TransportReason
  /** Of an unreadable response. */
  readonly status: number | undefined
  readonly operation: string
  readonly attempts: number
  readonly idempotencyKey: string | undefined

  constructor(
    details: CallDetails & {
      readonly reason: TransportReason
      readonly message: string
      readonly status?: number | undefined
      readonly cause?: unknown
    },
  ) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause })
    this.reason = details.reason
    this.status = details.status
    this.operation = details.operation
    this.attempts = details.attempts
    this.idempotencyKey = details.idempotencyKey
  }
}
