import type {
  GetMerchantStatsQuery,
  GetStatementQuery,
  ListMerchantLedgerQuery,
  ListRestoresQuery,
} from '../generated/merchant.ts'
import type { FundBody } from '../generated/shared.ts'
import type { ListMerchantTradesQuery } from '../generated/trades.ts'
import type { CallOptions, MoneyOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

/** The account behind the key. */
export const merchantOf = (call: Call) => ({
  /** Identity, fees and wallets. */
  get: (options?: CallOptions) => call('getMerchant', {}, options),

  /** What the calling key may do, and what it has spent of its limit. */
  key: (options?: CallOptions) => call('getKey', {}, options),

  /** The merchant's fees, and the service's fee on its sub-users' buys. */
  fees: (options?: CallOptions) => call('getMerchantFees', {}, options),

  /** The rate limits and what is left of them; asking is free. */
  limits: (options?: CallOptions) => call('getMerchantLimits', {}, options),

  /** Totals of the trades created in a time range, in all and by sub-user. */
  stats: (query: GetMerchantStatsQuery = {}, options?: CallOptions) =>
    call('getMerchantStats', { query }, options),

  /** The spot wallet, which pays, and the earnings wallet, which collects the fees. */
  wallets: (options?: CallOptions) => call('listMerchantWallets', {}, options),

  /** The postings of the spot wallet unless `walletType` says earnings, newest first. */
  ledger: (query: ListMerchantLedgerQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listMerchantLedger', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** What moved in a month, by wallet and type; the running month unless another is named. */
  statement: (query: GetStatementQuery = {}, options?: CallOptions) =>
    call('getStatement', { query }, options),

  /** Restores of the service, newest first, with the buys that each lost: send those again as they were. */
  restores: (query: ListRestoresQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listRestores', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** Moves earnings to the spot wallet. */
  transferEarnings: (body: FundBody, options?: MoneyOptions) =>
    call('transferEarnings', { body }, options),
})

export type Merchant = ReturnType<typeof merchantOf>

/** Trades of the merchant and of all its sub-users. */
export const tradesOf = (call: Call) => ({
  /** Newest first, buys and sells. */
  list: (query: ListMerchantTradesQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listMerchantTrades', { query: { ...query, ...slice } }, options),
      ({ trades }) => trades,
    ),

  /** One of them, with its items as they are now. */
  get: (tradeId: string, options?: CallOptions) =>
    call('getMerchantTrade', { params: { tradeId } }, options),

  /** For lost answers: which trades carry each of these externalIds, at most 100. */
  lookUp: async (externalIds: string[], options?: CallOptions) =>
    (await call('lookUpTrades', { body: { externalIds } }, options)).results,
})

export type Trades = ReturnType<typeof tradesOf>
