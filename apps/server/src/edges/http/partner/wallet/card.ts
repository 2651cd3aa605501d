// Deposits by card: what the on-ramp publishes of itself, quotes, and sessions.
import {
  ONRAMP_COIN_IDS,
  ONRAMP_FIAT_TYPES,
  type OnrampSessionBody,
  partnerRoutes,
} from '@tradepost/contract'
import {
  networksOf,
  type OnrampCoin,
  type OnrampConfiguration,
  type OnrampDeposits,
  type OnrampPayCurrency,
} from '#deposits'
import { assertDefined } from '#kernel/assert'
import { refuse } from '#kernel/refusal'
import { type CardOrder, cardQuoteView } from '#wire/partner/card'
import { refuseField } from '../../shared/failure.ts'
import type { PartnerCaller } from '../../shared/principal.ts'
import { centsOf } from '../amount.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'
import { depositorOf } from './depositor.ts'

type CardOperations = Pick<
  PartnerOperations,
  | 'getOnrampLimits'
  | 'getOnrampCountries'
  | 'getOnrampMapping'
  | 'quoteCardDeposit'
  | 'openCardSession'
>

export function createCardOperations({
  onramp,
}: {
  readonly onramp: OnrampDeposits
}): CardOperations {
  const publish =
    (name: OnrampConfiguration) =>
    ({ caller: { requestId } }: { readonly caller: PartnerCaller }) =>
      onramp.configuration(name, { requestId })
  return {
    getOnrampLimits: operation(partnerRoutes.getOnrampLimits, publish('limitsMapping')),
    getOnrampCountries: operation(partnerRoutes.getOnrampCountries, publish('allCountryConfig')),
    getOnrampMapping: operation(partnerRoutes.getOnrampMapping, publish('allConfigMapping')),

    quoteCardDeposit: operation(partnerRoutes.quoteCardDeposit, async ({ caller, body }) => {
      const { fiatAmount, fiatType, coinCode, network, countryCode = null } = body
      const order: CardOrder = { fiatType, coin: { coinCode, network } }
      const quote = await onramp.quote(
        depositorOf(caller),
        {
          amount: { pay: centsOf(fiatAmount, '/fiatAmount') },
          payCurrency: payCurrencyOf(fiatType),
          ...{ countryCode, coin: order.coin },
        },
        { requestId: caller.requestId },
      )
      return cardQuoteView(quote, order)
    }),

    openCardSession: operation(partnerRoutes.openCardSession, async ({ caller, body }) => {
      const { requestId } = caller
      const { fiatType, redirectUrl = null } = body
      const paymentMethod = body.paymentMethod === 2 ? 'bank_transfer' : 'instant'
      const depositor = depositorOf(caller)
      const coin = await coinOf(body, () => onramp.configuration('allConfigMapping', { requestId }))
      const request = { amount: amountOf(body), payCurrency: payCurrencyOf(fiatType) }
      const quote = await onramp.quote(
        depositor,
        { ...request, coin, countryCode: null },
        { requestId },
      )
      const { quoteToken } = quote
      const { deposit, details } = await onramp.create(
        depositor,
        { quoteToken, redirectUrl, paymentMethod },
        { requestId },
      )
      return {
        depositId: deposit.id,
        merchantRecognitionId: assertDefined(details.recognitionId, 'the id at the on-ramp'),
        widgetUrl: assertDefined(details.widgetUrl, 'the page of a placed order'),
        quote: cardQuoteView(quote, { fiatType, coin }),
        message: DONE,
      }
    }),
  }
}

const payCurrencyOf = (fiatType: number): OnrampPayCurrency =>
  assertDefined(
    (Object.keys(ONRAMP_FIAT_TYPES) as OnrampPayCurrency[]).find(
      (currency) => ONRAMP_FIAT_TYPES[currency] === fiatType,
    ),
    'a listed fiat type',
  )

/** What the card is charged counts; what arrives, when that is not named. */
const amountOf = ({ fiatAmount, coinAmount = 0 }: OnrampSessionBody) =>
  fiatAmount === undefined
    ? { receiveUsd: centsOf(coinAmount, '/coinAmount') }
    : { pay: centsOf(fiatAmount, '/fiatAmount') }

const DEFAULT_NETWORK = 'bep20'

/** Coin and network, each by its name, by its number, or by both when they agree. */
async function coinOf(
  { coinId, coinCode, chainId, network }: OnrampSessionBody,
  readMapping: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<OnrampCoin> {
  const named = coinCode ?? (coinId === ONRAMP_COIN_IDS.usdc ? 'usdc' : 'usdt')
  if (coinId !== undefined && coinId !== ONRAMP_COIN_IDS[named]) disagree('/coinId', 'coinCode')
  const asked = network?.toLowerCase()
  if (chainId === undefined) return { coinCode: named, network: asked ?? DEFAULT_NETWORK }
  const numbers = networksOf(await readMapping())
  const chains = Object.keys(numbers)
  const listed = chains.find((chain) => Number(numbers[chain]) === chainId)
  if (listed === undefined) return refuse('DEPOSIT_CHAIN_UNSUPPORTED', { chains })
  if (asked !== undefined && asked !== listed) disagree('/chainId', 'network')
  return { coinCode: named, network: listed }
}

const disagree = (pointer: string, other: string): never =>
  refuseField({
    in: 'body',
    pointer,
    rule: 'agreement',
    message: `must name the same as ${other}`,
  })
