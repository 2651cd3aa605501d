// What a card payment brings. The provider quotes an amount of money only; for a wanted amount of tokens the
// money is approached: fees are shares and constants, so three or four quotes are enough.
import { type Attos, formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { cents } from '#kernel/money'
import type {
  CallContext,
  OnrampCoin,
  OnrampPayCurrency,
  OnrampProvider,
  OnrampQuote,
  Read,
} from '#ports/deposits'
import { unavailable } from '../shared/deposit-calls.ts'
import { fieldsOf, own, textOf } from '../shared/reader.ts'
import type { CallOnramp } from './calls.ts'

export const FIAT_TYPES: Readonly<Record<OnrampPayCurrency, number>> = { EUR: 12, GBP: 20, USD: 21 }

/** Tokens arrive on a cheap chain of ours. */
export const DEFAULT_COIN: OnrampCoin = { coinCode: 'usdt', network: 'bep20' }

type QuoteRequest = Parameters<OnrampProvider['quote']>[0]
type QuoteAnswer = Awaited<ReturnType<OnrampProvider['quote']>>

interface Asked {
  readonly payCurrency: OnrampPayCurrency
  readonly coin: OnrampCoin
  readonly countryCode: string | null
}

const CENT = ONE_TOKEN / 100n

export async function quote(
  request: QuoteRequest,
  call: CallOnramp,
  context: CallContext,
): Promise<QuoteAnswer> {
  const { payCurrency, countryCode } = request
  const asked: Asked = { payCurrency, countryCode, coin: request.coin ?? DEFAULT_COIN }
  if ('pay' in request.amount) return quotePay(request.amount.pay, asked, call, context)
  return quoteReceive(request.amount.receiveUsd, asked, call, context)
}

const MOST_STEPS = 6

/**
 * The smallest payment found that brings at least what is wanted. What arrives is a line over what is paid,
 * except for roundings, so that the line through the last two quotes leads there.
 */
async function quoteReceive(
  wanted: bigint,
  asked: Asked,
  call: CallOnramp,
  context: CallContext,
): Promise<QuoteAnswer> {
  let pay = wanted
  let before: OnrampQuote | null = null
  let best: QuoteAnswer | null = null
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const answer = await quotePay(pay, asked, call, context)
    if (answer.kind !== 'read' || typeof answer.value === 'string') return best ?? answer
    const found = answer.value
    if (found.receiveUsd <= 0n) return { kind: 'read', value: 'amount_out_of_range' }
    if (found.receiveUsd >= wanted) best = answer
    const next =
      best === answer && found.receiveUsd - wanted <= 1n ? pay : onTheLine(wanted, found, before)
    if (next === pay) break
    before = found
    pay = next
  }
  return best ?? unavailable('the quotes do not approach the amount that is wanted')
}

/** Where the line through two quotes brings what is wanted, rounded up; one quote is taken in proportion. */
function onTheLine(wanted: bigint, found: OnrampQuote, before: OnrampQuote | null): bigint {
  const run = before === null ? found.pay : found.pay - before.pay
  const rise = before === null ? found.receiveUsd : found.receiveUsd - before.receiveUsd
  if (rise === 0n || run === 0n) return found.pay + (found.receiveUsd < wanted ? 1n : 0n)
  const missing = (wanted - found.receiveUsd) * run
  const whole = missing / rise
  const next = found.pay + (whole * rise < missing === rise > 0n ? whole + 1n : whole)
  return next === found.pay && found.receiveUsd < wanted ? next + 1n : next
}

async function quotePay(
  pay: bigint,
  { payCurrency, coin, countryCode }: Asked,
  call: CallOnramp,
  context: CallContext,
): Promise<QuoteAnswer> {
  const body = {
    ...coin,
    fiatAmount: unitsOf(pay),
    fiatType: FIAT_TYPES[payCurrency],
    type: 1,
    ...(countryCode === null ? {} : { countryCode }),
  }
  const path = '/onramp/api/v2/common/transaction/quotes'
  const answer = await call({ operation: 'quote', path, body }, context)
  if (answer.kind === 'refusal' && answer.code === 413) {
    return { kind: 'read', value: 'amount_out_of_range' }
  }
  if (answer.kind === 'refusal' && answer.code === 406) {
    return { kind: 'read', value: 'chain_unsupported' }
  }
  if (answer.kind === 'refusal' && answer.code === 403) {
    return { kind: 'read', value: 'country_unsupported' }
  }
  if (answer.kind === 'refusal') return unavailable(answer.detail)
  if (answer.kind !== 'success') return unavailable(answer.detail, answer.retryAfterMs)
  return readQuote(answer.data, pay, payCurrency)
}

/** Amounts are JSON numbers in whole units, with two digits at most. */
export const unitsOf = (hundredths: bigint): number =>
  Number(formatDecimal((hundredths * CENT) as Attos))

function readQuote(data: unknown, pay: bigint, payCurrency: OnrampPayCurrency): Read<OnrampQuote> {
  const fields = fieldsOf(data) ?? {}
  const amount = (name: string): Attos | null => parseDecimal(textOf(own(fields, name)) ?? '0')
  const rate = amount('rate')
  const quantity = amount('quantity')
  // `onRampFee` in the documents, `onrampFee` in their examples.
  const fees = [amount('onrampFee'), amount('onRampFee')]
    .concat(amount('clientFee'), amount('gatewayFee'), amount('gasFee'))
    .map((fee) => fee ?? -1n)
  if (rate === null || rate === 0n || quantity === null || fees.includes(-1n)) {
    return unavailable('the quote is unreadable')
  }
  const sum = fees.reduce((total: bigint, fee) => total + fee, 0n)
  const value = {
    payCurrency,
    pay,
    receiveUsd: cents(quantity / CENT),
    fee: (sum + CENT - 1n) / CENT,
    ratePerUsdE18: rate,
  }
  return { kind: 'read', value }
}
