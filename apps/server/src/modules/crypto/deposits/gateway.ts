// Deposits through the payment gateway: what can be paid with, quotes, and orders.
import { createMemo } from '#infra/process/memo'
import { type Attos, attos, formatDecimal, ONE_TOKEN } from '#kernel/decimal'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { quoteIn } from '#pricing'
import { promise, tokensFor } from './amounts.ts'
import {
  createOpenDeposit,
  type DepositContext,
  type Depositor,
  type DepositorDeps,
  type OpenedDeposit,
} from './open-deposit.ts'
import { placedByGateway } from './placed.ts'
import type {
  CallContext,
  CreateAnswer,
  DepositCurrency,
  GatewayCurrency,
  GatewayRate,
  PaymentGateway,
  Read,
} from './ports.ts'
import { openQuote, QUOTE_LIFE_MS, type Quote, sealQuote } from './quote-token.ts'

/** US cents. */
export const GATEWAY_BOUNDS = { least: cents(5_00n), most: cents(25_000_00n) }

/** How long an order can be paid at the quoted rate. */
const ORDER_LIFE_MS = 20 * 60_000
const CURRENCIES_KEPT_MS = 60_000
/** A stable coin so far from a dollar, in 10^-18, is not quoted. */
const STABLE_TOLERANCE = ONE_TOKEN / 50n

export interface QuotedDeposit extends Quote {
  readonly quoteToken: string
  /** US cents. */
  readonly fee: Cents
}

/** What a currency is worth now, before it is quoted for an amount. */
export interface DepositRate {
  readonly currency: GatewayCurrency
  /** US cents. */
  readonly least: Cents
  /** Null while the gateway names none that can be meant. */
  readonly rate: {
    /** US dollars for one token. */
    readonly usdPerToken: Attos
    /** Tokens that are worth `least`, fee included. */
    readonly leastTokens: Attos
    readonly feeBps: number
  } | null
}

export interface GatewayDeposits {
  /** Of every currency that is offered, kept for a minute; empty when the gateway is switched off. */
  listRates(context: CallContext): Promise<readonly DepositRate[]>
  /** Empty when the gateway is switched off. */
  listCurrencies(context: CallContext): Promise<readonly GatewayCurrency[]>
  quote(
    depositor: Depositor,
    request: { readonly usd: Cents; readonly currency: DepositCurrency },
    context: CallContext,
  ): Promise<QuotedDeposit>
  create(
    depositor: Depositor,
    request: { readonly quoteToken: string; readonly chain: string },
    context: DepositContext,
  ): Promise<OpenedDeposit>
}

export function createGatewayDeposits({
  gateway,
  ...deps
}: DepositorDeps & { readonly gateway: PaymentGateway | null }): GatewayDeposits {
  const { clock, secrets, currentRate } = deps
  const openDeposit = createOpenDeposit(deps)
  const currencies = createMemo(
    async () => read(await on(gateway).listCurrencies({ requestId: 'list of currencies' })),
    { clock, freshMs: CURRENCIES_KEPT_MS },
  )

  const rateOf = async (currency: GatewayCurrency): Promise<DepositRate> => {
    const least = leastOf(currency)
    const request = { usd: least, currency: currency.currency }
    const answer = await on(gateway).quote(request, { requestId: 'list of rates' })
    if (answer.kind === 'unavailable' || isOdd(answer.value, currency)) {
      return { currency, least, rate: null }
    }
    const { usdPerTokenE18, tokenDigits, feeBps } = answer.value
    const usdPerToken = attos(usdPerTokenE18)
    const leastTokens = tokensFor(least, usdPerToken, tokenDigits)
    return { currency, least, rate: { usdPerToken, leastTokens, feeBps } }
  }
  const rates = createMemo(async () => Promise.all((await currencies()).map(rateOf)), {
    ...{ clock, freshMs: CURRENCIES_KEPT_MS },
    isKept: (found) => found.every(({ rate }) => rate !== null),
  })

  return {
    listRates: async () => (gateway === null ? [] : rates()),

    listCurrencies: async () => (gateway === null ? [] : currencies()),

    quote: async (depositor, { usd, currency }, context) => {
      const offered = (await currencies()).find((one) => one.currency === currency)
      if (offered === undefined) return refuse('DEPOSIT_CHAIN_UNSUPPORTED', { chains: [] })
      const least = leastOf(offered)
      if (usd < least || usd > GATEWAY_BOUNDS.most) {
        return refuse('DEPOSIT_AMOUNT_OUT_OF_RANGE', boundsOf(least))
      }
      const rate = read(await on(gateway).quote({ usd, currency }, context))
      if (isOdd(rate, offered)) return refuse('GATEWAY_UNAVAILABLE')
      const usdPerToken = attos(rate.usdPerTokenE18)
      const { fee, receive } = promise(usd, rate.feeBps)
      const perEuro = depositor.currency === 'EUR' ? await currentRate() : null
      const quote: Quote = {
        id: newId(clock.now().getTime()),
        accountId: depositor.accountId,
        method: 'gateway',
        currency: depositor.currency,
        token: currency,
        payAmount: tokensFor(usd, usdPerToken, rate.tokenDigits),
        payUsd: usd,
        receiveUsd: receive,
        receiveAmount: quoteIn(depositor.currency, receive, perEuro),
        usdPerToken,
        feeBps: rate.feeBps,
        coin: null,
        expiresAt: new Date(clock.now().getTime() + QUOTE_LIFE_MS),
      }
      return { ...quote, fee, quoteToken: sealQuote(secrets, quote) }
    },

    create: async (depositor, { quoteToken, chain }, { record, ...context }) => {
      const { accountId } = depositor
      const now = clock.now()
      const quote = openQuote(secrets, quoteToken, { accountId, method: 'gateway', now })
      const currency = quote.token as DepositCurrency
      const offered = (await currencies()).find((one) => one.currency === currency)
      const chains = offered?.chains.map((one) => one.chain) ?? []
      if (offered === undefined || !chains.includes(chain)) {
        return refuse('DEPOSIT_CHAIN_UNSUPPORTED', { chains })
      }
      const expiresAt = new Date(now.getTime() + ORDER_LIFE_MS)
      const payAmount = formatDecimal(quote.payAmount)
      return openDeposit(depositor, {
        ...{ quote, chain, details: {}, expiresAt, record },
        create: async (orderId, guard) => {
          const order = { orderId, currency, chain, payAmount, expiresAt }
          return mapped(await on(gateway).createOrder(order, { ...context, guard }))
        },
        refusalDetailsOf: async (because) =>
          because === 'amount_out_of_range'
            ? boundsOf(leastOf(offered))
            : { chains: chains.filter((one) => one !== chain) },
        find: async (orderId) => {
          const found = await on(gateway).findOrder({ orderId }, context)
          if (found.kind === 'unavailable' || found.value === 'absent')
            return found as Read<'absent'>
          return { kind: 'read', value: placedByGateway(found.value) }
        },
      })
    },
  }
}

const mapped = (
  answer: Awaited<ReturnType<PaymentGateway['createOrder']>>,
): CreateAnswer<ReturnType<typeof placedByGateway>> =>
  answer.kind === 'created' ? { ...answer, order: placedByGateway(answer.order) } : answer

const on = (gateway: PaymentGateway | null): PaymentGateway =>
  gateway ?? refuse('GATEWAY_UNAVAILABLE', { reason: 'switched_off' })

export const read = <T>(answer: Read<T>): T =>
  answer.kind === 'read' ? answer.value : refuse('GATEWAY_UNAVAILABLE')

/** The smallest deposit in US cents: ours, or the provider's where it is larger. */
export const leastOf = ({ minDeposit }: GatewayCurrency): Cents =>
  minDeposit !== null && minDeposit > GATEWAY_BOUNDS.least ? minDeposit : GATEWAY_BOUNDS.least

const boundsOf = (least: Cents): Readonly<Record<string, unknown>> => ({
  minUsdCents: Number(least),
  maxUsdCents: Number(GATEWAY_BOUNDS.most),
})

/** A rate that cannot be meant quotes nothing. */
function isOdd(
  { usdPerTokenE18, tokenDigits, feeBps }: GatewayRate,
  { isStable }: GatewayCurrency,
): boolean {
  const difference =
    usdPerTokenE18 > ONE_TOKEN ? usdPerTokenE18 - ONE_TOKEN : ONE_TOKEN - usdPerTokenE18
  return (
    usdPerTokenE18 <= 0n ||
    !(tokenDigits >= 0 && tokenDigits <= 18) ||
    !(feeBps >= 0 && feeBps < 1000) ||
    (isStable && difference > STABLE_TOLERANCE)
  )
}
