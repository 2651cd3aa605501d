// The merchant interface's views of deposits: the record, quotes, and what the payer needs.
import type {
  CreateDepositResponse,
  CreateOnrampResponse,
  DepositChainsResponse,
  DepositQuoteResponse,
  Deposit as DepositShape,
  OnrampQuoteResponse,
} from '@tradepost/contract'
import {
  creditedToWallet,
  type Deposit,
  type GatewayCurrency,
  leastOf,
  type OpenedDeposit,
  type QuotedDeposit,
  type QuotedOnramp,
} from '#deposits'
import { assertDefined } from '#kernel/assert'
import { type Attos, formatDecimal } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import { moneyNumber } from '../money.ts'

const moneyOrNull = (value: Cents | null): number | null =>
  value === null ? null : moneyNumber(value)
/** A rate or an amount of tokens as the nearest JSON number: for display alone. */
const decimalNumber = (value: Attos): number => Number(formatDecimal(value))
const timeOrNull = (at: Date | null): string | null => at?.toISOString() ?? null

export function depositView(deposit: Deposit): DepositShape {
  const isByCard = deposit.method === 'onramp'
  const isCredited = deposit.creditedUsd + deposit.feeUsd > 0n
  const received = receivedSoFar(deposit)
  return {
    id: deposit.id,
    userId: deposit.accountId,
    userExternalId: deposit.externalId,
    method: deposit.method,
    status: deposit.status,
    currency: deposit.currency,
    token: isByCard ? null : deposit.token,
    chain: deposit.chain,
    payAmountToken:
      isByCard || deposit.payAmount === null ? null : formatDecimal(deposit.payAmount),
    receivedAmountToken: received === 0n ? null : formatDecimal(received),
    receiveAmountUsd: isCredited
      ? moneyNumber(deposit.creditedUsd)
      : moneyOrNull(deposit.receiveUsd),
    creditedAmount: isCredited ? moneyNumber(creditedToWallet(deposit)) : null,
    fee: feeOf(deposit),
    exchangeRate: deposit.usdPerToken === null ? null : decimalNumber(deposit.usdPerToken),
    address: deposit.address,
    txHash: deposit.txHash,
    confirmations: deposit.confirmations,
    reason: deposit.reason ?? deposit.substate,
    expiresAt: timeOrNull(deposit.expiresAt),
    createdAt: deposit.createdAt.toISOString(),
    updatedAt: deposit.updatedAt.toISOString(),
    completedAt: timeOrNull(deposit.completedAt),
  }
}

/** Of an order that still runs what has come, although it is credited at its end. */
export const receivedSoFar = ({ status, seen, received }: Deposit): Attos =>
  (status === 'initiated' || status === 'pending') && seen > received ? seen : received

/** What was withheld, before that what the quote says. A card's fee never reaches us. */
function feeOf({ method, payUsd, receiveUsd, feeUsd, creditedUsd }: Deposit): number | null {
  if (method === 'crypto') return null
  if (method === 'gateway' && creditedUsd + feeUsd > 0n) return moneyNumber(feeUsd)
  return payUsd === null || receiveUsd === null ? null : moneyNumber(cents(payUsd - receiveUsd))
}

/** `POL` is not offered by this interface. */
export const chainsView = (currencies: readonly GatewayCurrency[]): DepositChainsResponse => ({
  currencies: currencies.flatMap((offered) => {
    const { currency, chains, isStable } = offered
    if (currency === 'POL') return []
    const minDepositUsd = moneyNumber(leastOf(offered))
    return [{ currency, chains: chains.map(({ chain }) => chain), isStable, minDepositUsd }]
  }),
})

const EXPIRES_IN = '5m'

export const quoteView = (quote: QuotedDeposit): DepositQuoteResponse => ({
  token: quote.token as DepositQuoteResponse['token'],
  currency: quote.currency,
  payAmountToken: formatDecimal(quote.payAmount),
  receiveAmountUsd: moneyNumber(quote.receiveUsd),
  receiveAmount: moneyNumber(quote.receiveAmount),
  fee: moneyNumber(quote.fee),
  exchangeRate: decimalNumber(quote.usdPerToken),
  quoteToken: quote.quoteToken,
  expiresIn: EXPIRES_IN,
})

export function openedView({ deposit, details }: OpenedDeposit): CreateDepositResponse {
  const { payAmount, receiveUsd, receiveAmount, payUsd, usdPerToken } = quotedOf(deposit)
  return {
    fundingId: deposit.id,
    status: deposit.status,
    currency: deposit.currency,
    payAmountToken: formatDecimal(payAmount),
    receiveAmountUsd: moneyNumber(receiveUsd),
    receiveAmount: moneyNumber(receiveAmount),
    exchangeRate: decimalNumber(usdPerToken),
    fee: moneyNumber(cents(payUsd - receiveUsd)),
    expireTime: deposit.expiresAt?.getTime() ?? null,
    whitelabelUrl: details.whitelabelUrl ?? null,
    onChain: {
      network: details.network ?? deposit.chain ?? '',
      token: details.token ?? deposit.token ?? '',
      address: assertDefined(deposit.address, 'the address of a placed order'),
    },
  }
}

/** What every deposit from a quote has. */
function quotedOf(deposit: Deposit) {
  const { payAmount, payUsd, receiveUsd, receiveAmount, usdPerToken } = deposit
  return {
    payAmount: assertDefined(payAmount, 'the amount of a quote'),
    payUsd: assertDefined(payUsd, 'the value of a quote'),
    receiveUsd: assertDefined(receiveUsd, 'the promise of a quote'),
    receiveAmount: assertDefined(receiveAmount, 'the promise of a quote'),
    usdPerToken: assertDefined(usdPerToken, 'the rate of a quote'),
  }
}

export const onrampQuoteView = (quote: QuotedOnramp): OnrampQuoteResponse => ({
  quoteToken: quote.quoteToken,
  payAmount: decimalNumber(quote.payAmount),
  payCurrency: quote.token as OnrampQuoteResponse['payCurrency'],
  receiveAmount: moneyNumber(quote.receiveAmount),
  receiveAmountUsd: moneyNumber(quote.receiveUsd),
  fee: moneyNumber(cents(quote.fee)),
  exchangeRate: decimalNumber(quote.usdPerToken),
  expiresIn: EXPIRES_IN,
})

export function onrampOpenedView({ deposit, details }: OpenedDeposit): CreateOnrampResponse {
  const { payAmount, receiveUsd, receiveAmount } = quotedOf(deposit)
  return {
    fundingId: deposit.id,
    status: deposit.status,
    widgetUrl: assertDefined(details.widgetUrl, 'the page of a placed order'),
    payAmount: decimalNumber(payAmount),
    payCurrency: deposit.token as CreateOnrampResponse['payCurrency'],
    receiveAmountUsd: moneyNumber(receiveUsd),
    receiveAmount: moneyNumber(receiveAmount),
    expireTime: assertDefined(deposit.expiresAt, 'the end of a session').getTime(),
  }
}
