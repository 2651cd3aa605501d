import { amountText } from '../amount.ts'
import type {
  CreateDepositBody,
  CreateOnrampBody,
  DepositQuoteBody,
  ListDepositsQuery,
  OnrampQuoteBody,
} from '../generated/deposits.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

type Amount = number | string

/** `amount` in US dollars, as a number or a decimal string; USDT unless `currency` says otherwise. */
export type DepositQuoteRequest = Omit<DepositQuoteBody, 'amount'> & { readonly amount: Amount }

/** Exactly one of the two amounts, as a number or a decimal string. */
export type CardQuoteRequest = Pick<OnrampQuoteBody, 'payCurrency' | 'countryCode'> &
  (
    | { readonly payAmount: Amount; readonly receiveAmount?: undefined }
    | { readonly receiveAmount: Amount; readonly payAmount?: undefined }
  )

/** Money into the account's wallet: by the gateway, a card, or a transfer on a chain. */
export const depositsOf = (call: Call) => ({
  /** Currencies of the gateway, with their chains and the least amount. */
  chains: (options?: CallOptions) => call('listDepositChains', {}, options),

  /** What must be paid and what is credited; the quote token holds for five minutes, once. */
  quote: (request: DepositQuoteRequest, options?: CallOptions) =>
    call(
      'quoteDeposit',
      { body: { ...request, amount: amountText('amount', request.amount) } },
      options,
    ),

  /** Creates the deposit of a quote and returns where to pay. Sent once: a quote is used once. */
  create: (body: CreateDepositBody, options?: CallOptions) =>
    call('createDeposit', { body }, options),

  /** What a card is charged and what the wallet receives. */
  quoteCard: (request: CardQuoteRequest, options?: CallOptions) =>
    call('quoteOnramp', { body: cardQuoteBody(request) }, options),

  /** Creates the card deposit of a quote and returns the page where the payer enters the card. */
  createCard: (body: CreateOnrampBody, options?: CallOptions) =>
    call('createOnramp', { body }, options),

  /** The account's own address, the same on every chain; made at the first call. */
  address: (options?: CallOptions) => call('getCryptoAddress', {}, options),

  /** Deposits of every method, newest first. */
  list: (query: ListDepositsQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listDeposits', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** One of them as it stands now. */
  get: (id: string, options?: CallOptions) => call('getDeposit', { params: { id } }, options),

  /** Cancels a deposit for which no payment was seen. */
  cancel: (id: string, options?: CallOptions) => call('cancelDeposit', { params: { id } }, options),
})

export type Deposits = ReturnType<typeof depositsOf>

const cardQuoteBody = ({ payAmount, receiveAmount, ...rest }: CardQuoteRequest): OnrampQuoteBody =>
  payAmount === undefined
    ? { ...rest, receiveAmount: amountText('receiveAmount', receiveAmount) }
    : { ...rest, payAmount: amountText('payAmount', payAmount) }
