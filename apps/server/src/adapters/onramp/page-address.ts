// The address of the page on which a person pays by card. All that the provider learns of an order before its
// payer begins stands in it.
import type { NewOnrampOrder } from '#ports/deposits'
import { toProviderId } from '../shared/deposit-ids.ts'
import { DEFAULT_COIN, FIAT_TYPES, unitsOf } from './quote.ts'

export interface PageSettings {
  /** Of the provider's page. */
  readonly widgetUrl: string
  /** Our application at the provider. */
  readonly appId: string
  /** Where the tokens are sent, on every network. */
  readonly wallet: string
}

export function pageAddress(
  order: NewOnrampOrder,
  { widgetUrl, appId, wallet }: PageSettings,
): string {
  const { coinCode, network } = order.coin ?? DEFAULT_COIN
  const address = new URL(widgetUrl)
  if (!address.pathname.endsWith('/')) address.pathname += '/'
  const values = {
    appId,
    walletAddress: wallet,
    ...{ coinCode, network },
    fiatAmount: String(unitsOf(order.pay)),
    fiatType: String(FIAT_TYPES[order.payCurrency]),
    paymentMethod: order.paymentMethod === 'instant' ? '1' : '2',
    merchantRecognitionId: toProviderId(order.orderId),
    ...(order.redirectUrl === null ? {} : { redirectUrl: order.redirectUrl }),
    lang: 'en',
  }
  for (const [name, value] of Object.entries(values)) address.searchParams.set(name, value)
  return address.href
}
