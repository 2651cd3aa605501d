import type {
  CreatePayoutBatchBody,
  CreateWithdrawalBody,
  GetPayoutAddressQuery,
  GetPayoutBalancesQuery,
  ListCustodyDepositsQuery,
  ListWithdrawalsQuery,
  PayoutQuoteBody,
} from '../generated/payouts.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

/** Payout custody: crypto that you put in, and withdraw to addresses outside. */
export const payoutsOf = (call: Call) => ({
  /**
   * Sets amount and fee aside; your approval callback then decides. The `externalId` makes it safe to send
   * again: the same one returns the first answer.
   */
  withdraw: (body: CreateWithdrawalBody, options?: CallOptions) =>
    call('createWithdrawal', { body }, options),

  /**
   * Up to 500 withdrawals, all of them or none: the first one that is refused is `meta.index` of the error.
   * The `externalId` of the batch makes it safe to send again.
   */
  withdrawBatch: (body: CreatePayoutBatchBody, options?: CallOptions) =>
    call('createPayoutBatch', { body }, options),

  /** How many withdrawals of a batch are in each status now. */
  batch: (id: string, options?: CallOptions) => call('getPayoutBatch', { params: { id } }, options),

  /** What a withdrawal costs; one of the same amount, chain and token costs that while it is valid. */
  quote: (body: PayoutQuoteBody, options?: CallOptions) => call('quotePayout', { body }, options),

  /** One withdrawal, as it is now. */
  get: (id: string, options?: CallOptions) => call('getWithdrawal', { params: { id } }, options),

  /** Newest first. */
  list: (query: ListWithdrawalsQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listWithdrawals', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** By chain and token; with `forUser` what is attributed to that sub-user. */
  balances: (query: GetPayoutBalancesQuery = {}, options?: CallOptions) =>
    call('getPayoutBalances', { query }, options),

  /** Where custody is put in: one address on all chains; with `forUser` one for that sub-user. */
  address: (query: GetPayoutAddressQuery = {}, options?: CallOptions) =>
    call('getPayoutAddress', { query }, options),

  /** Deposits into custody, newest first. */
  deposits: (query: ListCustodyDepositsQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listCustodyDeposits', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),
})

export type Payouts = ReturnType<typeof payoutsOf>
