// The provider's own shapes: amounts are numbers, some ids are text, times are ISO 8601.
import { coinOf, networkOf } from './assets.ts'
import type { OnrampOrder } from './order.ts'
import type { Quote } from './quote.ts'

const units = (cents: number): number => Number((cents / 100).toFixed(2))

export const viewQuote = (quote: Quote): Record<string, unknown> => ({
  fiatAmount: units(quote.fiatCents),
  rate: Number((quote.rateTenThousandths / 10_000).toFixed(4)),
  quantity: units(quote.coinCents),
  onrampFee: units(quote.onrampFeeCents),
  clientFee: 0,
  gatewayFee: units(quote.gatewayFeeCents),
  gasFee: units(quote.gasFeeCents),
})

export const viewOrder = (order: OnrampOrder): Record<string, unknown> => ({
  orderId: order.orderId,
  walletAddress: order.walletAddress,
  coinId: coinOf(order.coinCode, undefined)?.coinId,
  coinCode: order.coinCode,
  fiatType: order.fiatType,
  expectedPrice: Number((order.rateTenThousandths / 10_000).toFixed(4)),
  fiatAmount: units(order.fiatCents),
  expectedCryptoAmount: units(order.coinCents),
  actualPrice: order.sentCents === 0 ? 0 : Number((order.rateTenThousandths / 10_000).toFixed(4)),
  actualCryptoAmount: units(order.sentCents),
  kycNeeded: 0,
  createdAt: new Date(order.createdMs).toISOString(),
  updatedAt: new Date(order.updatedMs).toISOString(),
  status: order.status,
  transactionHash: order.transactionHash,
  referenceId: null,
  chainId: networkOf(order.network, undefined)?.chainId,
  network: order.network,
  onRampFee: units(order.feeCents.onramp),
  gasFee: units(order.feeCents.gas),
  clientFee: 0,
  gatewayFee: units(order.feeCents.gateway),
  appId: Number(order.appId),
  merchantRecognitionId: order.merchantRecognitionId,
  paymentType: 1,
})
