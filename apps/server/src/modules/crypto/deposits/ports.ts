// What deposits need from outside the service: a payment gateway that takes tokens for us, and a card
// on-ramp. An adapter translates one provider's protocol into these types and knows nothing of accounts,
// wallets or books. Amounts of tokens are decimal text, money is integer cents; no float passes here.
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Cents } from '#kernel/money'

/** `POL` is offered by the partner interface alone. */
export type DepositCurrency = 'USDT' | 'USDC' | 'DAI' | 'BTC' | 'ETH' | 'SOL' | 'POL'
export type OnrampPayCurrency = 'USD' | 'EUR' | 'GBP'

/** A decimal number without sign and exponent, `0.00012`; at most 18 digits after the point. */
export type DecimalText = string

/** Carried from the request or the job that caused a call to the log line of the call. */
export interface CallContext {
  readonly requestId: string
  /** Gives up a call that only reads, because the process stops. */
  readonly signal?: AbortSignal
}

/** For a call that makes an order: the adapter begins its guard right before that call. */
export interface GuardedContext extends CallContext {
  readonly guard: SendGuard
}

/** `unavailable`: the provider is away, has no budget for the call, or sent what cannot be read. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterMs: number }

/** Certain refusals of a new order, of any provider. */
export type OrderRefusal = 'amount_out_of_range' | 'chain_unsupported' | 'rejected'

/**
 * What came of creating an order under our id. `unknown`: it may exist, and only a look-up under the same id
 * shows it; the call is never repeated. `not-sent`: certain, the call never reached the provider.
 */
export type CreateAnswer<T> =
  | { readonly kind: 'created'; readonly order: T }
  | { readonly kind: 'refused'; readonly because: OrderRefusal; readonly detail: string }
  | { readonly kind: 'unknown'; readonly detail: string }
  | { readonly kind: 'not-sent'; readonly detail: string }

/** The signature over the raw body was right. All that a notice says is which order to read again. */
export type NoticeAnswer =
  | {
      readonly kind: 'notice'
      /** Our deposit id or the provider's order id; null for a notice about something else. */
      readonly order: OrderKey | null
    }
  | { readonly kind: 'bad_signature' }

export type OrderKey = { readonly orderId: string } | { readonly providerOrderId: string }

export type NoticeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

interface ProviderTraits {
  /** After an unknown answer: an order that look-ups have not shown for this long does not exist. */
  readonly lookUpSettleMs: number
  /** ... and this many look-ups in a row must have reported it absent. */
  readonly absentLookUps: number
  /** The bare answer by which the provider knows that its notice arrived; null: any 2xx. */
  readonly noticeReceipt: Readonly<Record<string, string>> | null
}

/** A payment that the provider has confirmed and counts as ours. Its figures never change again. */
export interface SettledPayment {
  /** The provider's id of this payment: at most one credit for each (provider, settlementRef). */
  readonly settlementRef: string
  readonly amountToken: DecimalText
  /** Token that arrived, where the provider accepts another than the order's; else null. */
  readonly token: string | null
  /**
   * What the provider converted it into, 10^-6 US dollars before fees: then this is its value. Null where the
   * provider does not convert: then its value is that of the tokens.
   */
  readonly valueUsdMicros: bigint | null
  readonly txHash: string | null
  readonly paidAt: Date
}

/** Money that the provider took back from us or gave back to the payer. */
export interface ProviderRefund {
  readonly refundRef: string
  /** `refunded`: done and final. The others move no money. */
  readonly state: 'processing' | 'refunded' | 'rejected'
  readonly amountToken: DecimalText
}

/** One line of a provider's statement. `other`: a movement that is no payment and no refund. */
export type StatementLine = StatementMovement | { readonly kind: 'other' }

export interface StatementMovement {
  readonly kind: 'payment' | 'refund'
  /**
   * The `settlementRef` of the payment, or the `refundRef` of the refund. Null where the line names only its
   * order: such lines are compared by their sum.
   */
  readonly ref: string | null
  /** The provider's id of the order. */
  readonly providerOrderId: string
  /** Our deposit id; null for a movement that names none of ours. */
  readonly orderId: string | null
  /** What moved. Payments are settled in stable coins: one is one US dollar. */
  readonly currency: string
  /** Before the provider's fee. */
  readonly amountToken: DecimalText
  readonly at: Date
}

export interface StatementWindow {
  readonly from: Date
  readonly until: Date
}

/** All movements of the window, or none: a part of a statement says nothing about what is missing. */
export type ReadStatement = (
  window: StatementWindow,
  context: CallContext,
) => Promise<Read<readonly StatementLine[]>>

// ---------------------------------------------------------------- gateway

export interface GatewayChain {
  /** The provider's name of the chain, which `createOrder` takes: `ETH`, `BSC`, `TRX`. */
  readonly chain: string
  readonly displayName: string
  readonly explorerUrl: string | null
  /** The provider's own name of the currency on this chain, `USDT_TRX`. */
  readonly fullCurrType: string
}

export interface GatewayCurrency {
  readonly currency: DepositCurrency
  readonly chains: readonly GatewayChain[]
  readonly isStable: boolean
  /** Smallest order in US cents; null where the provider names none. */
  readonly minDeposit: Cents | null
}

export interface GatewayRate {
  /** US dollars for one token, in 10^-18. */
  readonly usdPerTokenE18: bigint
  /** Digits after the point that an amount of this token may have; at most 18. */
  readonly tokenDigits: number
  /** What the provider keeps of each payment, in basis points. */
  readonly feeBps: number
}

export interface NewGatewayOrder {
  /** Our deposit id, committed before the call; the provider accepts it once. */
  readonly orderId: string
  readonly currency: DepositCurrency
  readonly chain: string
  readonly payAmount: DecimalText
  readonly expiresAt: Date
}

/** Where to pay. */
export interface GatewayAddress {
  readonly network: string
  readonly token: string
  readonly fullCurrType: string
  readonly address: string
}

export interface PlacedGatewayOrder {
  /** The provider's order id. */
  readonly prepayId: string
  /** What the payer must send; of a converted currency the provider names it. */
  readonly payAmount: DecimalText
  readonly address: GatewayAddress
  /** A payment page of the provider, and the content of a QR code; null where it has none. */
  readonly whitelabelUrl: string | null
  readonly qrContent: string | null
  readonly expiresAt: Date
}

/**
 * Of the order as a whole. Money is counted by `payments` alone; the state explains what is awaited and why
 * an order ended.
 */
export type GatewayOrderState =
  /** Nothing has arrived. */
  | 'waiting'
  /** A payment was seen and is not confirmed yet. */
  | 'processing'
  /** Paid in part, and open for the rest. */
  | 'part_paid'
  /** Confirmed, and the provider's conversion is late: the payment is not among `payments` yet. */
  | 'conversion_delay'
  | 'paid'
  | 'expired'
  | 'cancelled'
  | 'failed'
  /** The provider holds the payment back: compliance. */
  | 'blocked'
  | 'exchange_failed'

export interface GatewayOrder extends PlacedGatewayOrder {
  /** Our deposit id, as the provider repeats it. */
  readonly orderId: string
  readonly currency: DepositCurrency
  readonly chain: string
  readonly state: GatewayOrderState
  /** The provider's own words, for debugging only. */
  readonly detail: string | null
  readonly payments: readonly SettledPayment[]
  readonly refunds: readonly ProviderRefund[]
  /** What its own figures disagree about, twice in a row: then it credits nothing. Null: nothing. */
  readonly contradiction: string | null
}

/** Every call has a deadline of its own and never throws for an answer. */
export interface PaymentGateway {
  readonly traits: ProviderTraits
  listCurrencies(context: CallContext): Promise<Read<readonly GatewayCurrency[]>>
  quote(
    request: { readonly usd: Cents; readonly currency: DepositCurrency },
    context: CallContext,
  ): Promise<Read<GatewayRate>>
  createOrder(
    order: NewGatewayOrder,
    context: GuardedContext,
  ): Promise<CreateAnswer<PlacedGatewayOrder>>
  /** The only source of credits. */
  findOrder(key: OrderKey, context: CallContext): Promise<Read<GatewayOrder | 'absent'>>
  /**
   * Asks to close an order that is not paid. A refusal or a lost answer changes nothing of ours. It needs no
   * guard: a canceled deposit stays canceled, so that a late close, or a second one, is right as well.
   */
  closeOrder(orderId: string, context: CallContext): Promise<void>
  readonly readStatement: ReadStatement
  /** Pure: checks the signature over the raw bytes, and its age by the given time. */
  readNotice(headers: NoticeHeaders, rawBody: Buffer, now: Date): NoticeAnswer
}

// ---------------------------------------------------------------- on-ramp

/** The provider's names of what it delivers to us. */
export interface OnrampCoin {
  readonly coinCode: 'usdt' | 'usdc'
  readonly network: string
}

export interface OnrampQuote {
  readonly payCurrency: OnrampPayCurrency
  /** Hundredths of the pay currency that the card is charged, fee included. */
  readonly pay: bigint
  /** What arrives for us, US cents. */
  readonly receiveUsd: Cents
  /** The provider's fee, in hundredths of the pay currency. */
  readonly fee: bigint
  /** Pay currency for one US dollar received, in 10^-18; the fee is not in it. */
  readonly ratePerUsdE18: bigint
}

/** The provider's two ways to pay: a card or what is as fast, or a bank transfer. */
export type OnrampPaymentMethod = 'instant' | 'bank_transfer'

export interface NewOnrampOrder {
  /** Our deposit id, committed before the call. */
  readonly orderId: string
  readonly payCurrency: OnrampPayCurrency
  readonly pay: bigint
  readonly receiveUsd: Cents
  readonly redirectUrl: string | null
  /** Null: our default. */
  readonly coin: OnrampCoin | null
  readonly paymentMethod: OnrampPaymentMethod
  readonly expiresAt: Date
}

export interface PlacedOnrampOrder {
  /** The provider's order id; null while it gives one only after the payer has begun. */
  readonly providerOrderId: string | null
  /** Our deposit id in the form that the provider takes and shows. */
  readonly recognitionId: string
  readonly widgetUrl: string
}

export type OnrampOrderState =
  /** The payer has not paid. */
  | 'created'
  /** Paid by card; tokens are bought and on their way to us. */
  | 'in_progress'
  /** The tokens are with us: see `payments`. */
  | 'completed'
  | 'abandoned'
  | 'timed_out'
  | 'name_mismatch'
  | 'amount_mismatch'
  | 'failed'
  /** The card payment was returned: see `refunds`. */
  | 'refunded'

export interface OnrampOrder {
  readonly orderId: string
  readonly recognitionId: string
  readonly providerOrderId: string | null
  readonly state: OnrampOrderState
  readonly detail: string | null
  /** Stable tokens that arrived for us: one token is one US dollar. */
  readonly payments: readonly SettledPayment[]
  readonly refunds: readonly ProviderRefund[]
}

/** What the provider publishes of its own limits, countries and coins; passed on as it is. */
export type OnrampConfiguration = 'limitsMapping' | 'allCountryConfig' | 'allConfigMapping'

export interface OnrampProvider {
  readonly traits: ProviderTraits
  /** Exactly one of the two amounts is given: what the card is charged, or what arrives for us. */
  quote(
    request: {
      readonly amount: { readonly pay: bigint } | { readonly receiveUsd: Cents }
      readonly payCurrency: OnrampPayCurrency
      readonly countryCode: string | null
      readonly coin: OnrampCoin | null
    },
    context: CallContext,
  ): Promise<
    Read<OnrampQuote | 'amount_out_of_range' | 'chain_unsupported' | 'country_unsupported'>
  >
  createSession(
    order: NewOnrampOrder,
    context: GuardedContext,
  ): Promise<CreateAnswer<PlacedOnrampOrder>>
  /** `absent`: its payer may not have begun. */
  findOrder(key: OrderKey, context: CallContext): Promise<Read<OnrampOrder | 'absent'>>
  readonly readStatement: ReadStatement
  readNotice(headers: NoticeHeaders, rawBody: Buffer, now: Date): NoticeAnswer
  configuration(
    name: OnrampConfiguration,
    context: CallContext,
  ): Promise<Read<Readonly<Record<string, unknown>>>>
}
