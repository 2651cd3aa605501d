// What a quote, or the address of the page, asks for.
import type { Clock } from '../kernel/clock.ts'
import { decimalToMicros } from '../kernel/micros.ts'
import { COUNTRIES, coinOf, fiatOf, networkOf } from './assets.ts'
import type { NewOrder } from './orders.ts'
import { quoteOf } from './quote.ts'

export type Asked = Readonly<Record<string, unknown>>

export interface QuoteDeps {
  readonly clock: Clock
  readonly seed: number
}

/** The order that the address of the page describes, or the code of what is wrong with it. */
export function readOrder(
  asked: Asked,
  { appIds, ...deps }: QuoteDeps & { readonly appIds: readonly string[] },
): NewOrder | number {
  const appId = String(asked.appId ?? '')
  const walletAddress = String(asked.walletAddress ?? '')
  if (!appIds.includes(appId)) return 403
  if (!/^0x[0-9A-Fa-f]{40}$/.test(walletAddress)) return 400
  const quoted = readQuote({ ...asked, type: 1 }, deps)
  if (typeof quoted === 'number') return quoted
  const { quote, coinCode, network, fiatType } = quoted
  const merchantRecognitionId = String(asked.merchantRecognitionId ?? '')
  const redirectUrl = typeof asked.redirectUrl === 'string' ? asked.redirectUrl : null
  if (!/^[\w-]{0,64}$/.test(merchantRecognitionId)) return 400
  if (redirectUrl !== null && !isWebAddress(redirectUrl)) return 400
  return {
    ...{ appId, merchantRecognitionId, coinCode, network, walletAddress, fiatType, redirectUrl },
    fiatCents: quote.fiatCents,
    coinCents: quote.coinCents,
    rateTenThousandths: quote.rateTenThousandths,
    feeCents: {
      onramp: quote.onrampFeeCents,
      gateway: quote.gatewayFeeCents,
      gas: quote.gasFeeCents,
    },
  }
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export function readQuote(body: Asked, { clock, seed }: QuoteDeps) {
  const coin = coinOf(body.coinCode, body.coinId)
  const network = networkOf(body.network, body.chainId)
  const fiat = fiatOf(body.fiatType)
  if (coin === undefined || network === undefined) return 406
  if (fiat === undefined || String(body.type) !== '1') return 400
  const { countryCode } = body
  if (countryCode !== undefined && COUNTRIES[String(countryCode)]?.fiat !== fiat.symbol) return 403
  const micros = decimalToMicros(String(body.fiatAmount))
  if (micros === null || micros % 10_000 !== 0) return 409
  const fiatCents = micros / 10_000
  if (fiatCents < fiat.min * 100 || fiatCents > fiat.max * 100) return 413
  return {
    quote: quoteOf(fiatCents, fiat, network, { nowMs: clock.nowMs(), seed }),
    coinCode: coin.coinCode,
    network: network.network,
    fiatType: fiat.fiatType,
  }
}
