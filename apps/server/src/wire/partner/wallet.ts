// Deposits as the partner interface shows them.
import type {
  CryptoDepositResponse,
  DepositRateOfToken,
  DepositRatesResponse,
  PartnerDeposit,
} from '@tradepost/contract'
import {
  creditedToWallet,
  type Deposit,
  type DepositRate,
  GATEWAY_BOUNDS,
  type OpenedDeposit,
} from '#deposits'
import { assertDefined } from '#kernel/assert'
import { attos, formatDecimal, inverseOf } from '#kernel/decimal'
import { cents } from '#kernel/money'
import { moneyNumber } from '../money.ts'

export const walletDepositView = (deposit: Deposit): PartnerDeposit => ({
  id: deposit.id,
  method: deposit.method,
  amount: moneyNumber(
    deposit.credited > 0n ? creditedToWallet(deposit) : (deposit.receiveAmount ?? cents(0n)),
  ),
  currency: 'USD',
  token: deposit.token,
  network: deposit.chain,
  payAmountToken: deposit.payAmount === null ? null : formatDecimal(deposit.payAmount),
  status: deposit.substate ?? deposit.status,
  timestamp: deposit.createdAt.toISOString(),
})

/** The service itself takes nothing of a deposit. */
const PLATFORM_FEE_RATE = 0

export function cryptoDepositView(
  { deposit, details }: OpenedDeposit,
  { prepayId, message }: { readonly prepayId: string; readonly message: string },
): CryptoDepositResponse {
  const payAmount = assertDefined(deposit.payAmount, 'the amount of a quote')
  const payUsd = assertDefined(deposit.payUsd, 'the value of a quote')
  const receiveUsd = assertDefined(deposit.receiveUsd, 'the promise of a quote')
  const gross = formatDecimal(payAmount)
  return {
    depositId: deposit.id,
    prepayId,
    payAmountToken: gross,
    payAmountUsd: moneyNumber(payUsd),
    // Rounded down: what is shown as credited is never more than what is.
    netTokenAmount: formatDecimal(attos((payAmount * receiveUsd) / payUsd)),
    grossTokenAmount: gross,
    platformFeeRate: PLATFORM_FEE_RATE,
    gatewayFee: moneyNumber(cents(payUsd - receiveUsd)),
    expireTime: deposit.expiresAt?.getTime() ?? null,
    gateQR: details.qrContent ?? null,
    gateWhiteLabel: details.whitelabelUrl ?? null,
    onChain: {
      network: details.network ?? deposit.chain ?? '',
      token: details.token ?? deposit.token ?? '',
      fullCurrType: details.fullCurrType ?? '',
      address: assertDefined(deposit.address, 'the address of a placed order'),
    },
    message,
  }
}

export const depositRatesView = (rates: readonly DepositRate[]): DepositRatesResponse => ({
  baseUsdAmount: moneyNumber(GATEWAY_BOUNDS.least),
  feeMultiplier: (10_000 - Math.max(0, ...rates.map(({ rate }) => rate?.feeBps ?? 0))) / 10_000,
  currencies: rates.map(depositRateView),
})

function depositRateView({ currency: offered, least, rate }: DepositRate): DepositRateOfToken {
  const { currency, isStable, chains } = offered
  return {
    ...{ token: currency, isStable, minDepositUsd: moneyNumber(least) },
    minDepositToken: rate && formatDecimal(rate.leastTokens),
    rate: rate && {
      usdPerToken: Number(formatDecimal(rate.usdPerToken)),
      tokensPerUsd: Number(formatDecimal(inverseOf(rate.usdPerToken))),
      gatewayFeeRate: rate.feeBps / 100,
    },
    ...(rate === null && { error: 'RATE_UNAVAILABLE' as const }),
    chains: chains.map(({ chain, fullCurrType, explorerUrl, displayName }) => ({
      ...{ chain, fullCurrType, symbol: currency },
      explorer_url: explorerUrl,
      display_name: displayName,
    })),
  }
}
