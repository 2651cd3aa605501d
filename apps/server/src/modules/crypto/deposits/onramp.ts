// Deposits by card, through the on-ramp: it charges the card and sends us stable coins.
import { attos, ONE_TOKEN } from '#kernel/decimal'
import { newId } from '#kernel/id'
import { type Cents, cents, divideHalfUp } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { quoteIn } from '#pricing'
import { reciprocal } from './amounts.ts'
import { read } from './gateway.ts'
import {
  createOpenDeposit,
  type DepositContext,
  type Depositor,
  type DepositorDeps,
  type OpenedDeposit,
} from './open-deposit.ts'
import { placedByOnramp } from './placed.ts'
import type {
  CallContext,
  OnrampCoin,
  OnrampConfiguration,
  OnrampPayCurrency,
  OnrampPaymentMethod,
  OnrampProvider,
  OnrampQuote,
} from './ports.ts'
import { openQuote, QUOTE_LIFE_MS, type Quote, sealQuote } from './quote-token.ts'

/** US cents of the amount that a request names, before fees. */
const ONRAMP_BOUNDS = { least: cents(20_00n), most: cents(10_000_00n) }

/** A payer passes the provider's checks in this time, or begins again. */
const SESSION_LIFE_MS = 60 * 60_000

export interface QuotedOnramp extends Quote {
  readonly quoteToken: string
  /** Hundredths of the pay currency. */
  readonly fee: bigint
}

export interface OnrampRequest {
  /** Hundredths of the pay currency, or US cents that are received. */
  readonly amount: { readonly pay: bigint } | { readonly receiveUsd: Cents }
  readonly payCurrency: OnrampPayCurrency
  readonly countryCode: string | null
  /** Null: the provider's default of ours. */
  readonly coin: OnrampCoin | null
}

export interface OnrampSession {
  readonly quoteToken: string
  readonly redirectUrl: string | null
  readonly paymentMethod: OnrampPaymentMethod
}

export interface OnrampDeposits {
  quote(depositor: Depositor, request: OnrampRequest, context: CallContext): Promise<QuotedOnramp>
  create(
    depositor: Depositor,
    request: OnrampSession,
    context: DepositContext,
  ): Promise<OpenedDeposit>
  /** What the provider publishes of itself; kept for five minutes. Refuses GATEWAY_UNAVAILABLE. */
  configuration(
    name: OnrampConfiguration,
    context: CallContext,
  ): Promise<Readonly<Record<string, unknown>>>
}

export function createOnrampDeposits({
  onramp,
  ...deps
}: DepositorDeps & { readonly onramp: OnrampProvider | null }): OnrampDeposits {
  const { clock, secrets, currentRate } = deps
  const openDeposit = createOpenDeposit(deps)
  return {
    quote: async (depositor, request, context) => {
      const { payCurrency, coin, amount } = request
      if ('receiveUsd' in amount && isOut(amount.receiveUsd, 1n)) return refuseAmount()
      const quoted = read(await on(onramp).quote(request, context))
      if (quoted === 'chain_unsupported') {
        return refuse('DEPOSIT_CHAIN_UNSUPPORTED', await otherChains(on(onramp), coin, context))
      }
      if (quoted === 'country_unsupported') return refuse('GATEWAY_UNAVAILABLE', { reason: quoted })
      if (quoted === 'amount_out_of_range') return refuseAmount()
      const { receiveUsd, pay, fee } = quoted
      if (quoted.ratePerUsdE18 <= 0n || pay <= 0n || fee < 0n || receiveUsd <= 0n) {
        return refuse('GATEWAY_UNAVAILABLE')
      }
      if ('pay' in amount && isOut(amount.pay * ONE_TOKEN, perDollar(quoted))) {
        return refuseAmount()
      }
      const usdPerToken = reciprocal(attos(quoted.ratePerUsdE18))
      const perEuro = depositor.currency === 'EUR' ? await currentRate() : null
      const quote: Quote = {
        id: newId(clock.now().getTime()),
        accountId: depositor.accountId,
        method: 'onramp',
        currency: depositor.currency,
        token: payCurrency,
        payAmount: attos(pay * (ONE_TOKEN / 100n)),
        payUsd: cents(receiveUsd + divideHalfUp(fee * usdPerToken, ONE_TOKEN)),
        receiveUsd,
        receiveAmount: quoteIn(depositor.currency, receiveUsd, perEuro),
        usdPerToken,
        feeBps: 0,
        coin,
        expiresAt: new Date(clock.now().getTime() + QUOTE_LIFE_MS),
      }
      return { ...quote, fee, quoteToken: sealQuote(secrets, quote) }
    },

    create: async (depositor, session, { record, ...context }) => {
      const { quoteToken, redirectUrl, paymentMethod } = session
      const { accountId } = depositor
      const now = clock.now()
      const quote = openQuote(secrets, quoteToken, { accountId, method: 'onramp', now })
      const expiresAt = new Date(now.getTime() + SESSION_LIFE_MS)
      return openDeposit(depositor, {
        ...{ quote, chain: null, details: { redirectUrl }, expiresAt, record },
        create: async (orderId, guard) => {
          const { coin, receiveUsd } = quote
          const payCurrency = quote.token as OnrampPayCurrency
          const pay = quote.payAmount / (ONE_TOKEN / 100n)
          const amounts = { payCurrency, pay, receiveUsd, coin }
          const order = { orderId, ...amounts, redirectUrl, paymentMethod, expiresAt }
          const answer = await on(onramp).createSession(order, { ...context, guard })
          return answer.kind === 'created'
            ? { ...answer, order: placedByOnramp(answer.order) }
            : answer
        },
        refusalDetailsOf: async (because) =>
          because === 'amount_out_of_range' ? BOUNDS : otherChains(on(onramp), quote.coin, context),
        // It cannot be paid without its page, which a look-up does not show: the payer begins again.
        find: null,
      })
    },

    configuration: async (name, context) => read(await on(onramp).configuration(name, context)),
  }
}

const on = (onramp: OnrampProvider | null): OnrampProvider =>
  onramp ?? refuse('GATEWAY_UNAVAILABLE', { reason: 'switched_off' })

/** Compared as products: a quotient would be rounded at the edges. */
const isOut = (amount: bigint, perUsd: bigint): boolean =>
  amount < ONRAMP_BOUNDS.least * perUsd || amount > ONRAMP_BOUNDS.most * perUsd

/** Of the pay currency, in 10^-18. Dollars are what they are: the provider's spread on them is a fee. */
const perDollar = ({ payCurrency, ratePerUsdE18 }: OnrampQuote): bigint =>
  payCurrency === 'USD' ? ONE_TOKEN : ratePerUsdE18

const BOUNDS = {
  minUsdCents: Number(ONRAMP_BOUNDS.least),
  maxUsdCents: Number(ONRAMP_BOUNDS.most),
}

const refuseAmount = (): never => refuse('DEPOSIT_AMOUNT_OUT_OF_RANGE', BOUNDS)

/** The provider's numbers of its networks by their names, as `allConfigMapping` has them. */
export const networksOf = ({
  chainSymbolMapping,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  typeof chainSymbolMapping === 'object' && chainSymbolMapping !== null
    ? (chainSymbolMapping as Readonly<Record<string, unknown>>)
    : {}

/** The networks that the provider names, but the refused one; nothing while it does not answer. */
async function otherChains(
  onramp: OnrampProvider,
  refused: OnrampCoin | null,
  context: CallContext,
): Promise<{ readonly chains: readonly string[] } | undefined> {
  if (refused === null) return undefined
  const answer = await onramp.configuration('allConfigMapping', context)
  if (answer.kind === 'unavailable') return undefined
  const chains = Object.keys(networksOf(answer.value))
  return { chains: chains.filter((one) => one !== refused.network.toLowerCase()) }
}
