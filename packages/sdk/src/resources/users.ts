import type { FundBody } from '../generated/shared.ts'
import type {
  CreateSubUserBody,
  ListSubUserLedgerQuery,
  ListSubUsersQuery,
  UpdateSubUserBody,
} from '../generated/sub-users.ts'
import type { ListSubUserTradesQuery } from '../generated/trades.ts'
import type { CallOptions, MoneyOptions } from '../options.ts'
import { byCursor, numbered } from '../pages.ts'
import type { Call } from '../transport.ts'

/** The merchant's end users. `id` is the sub-user's UUID or your externalId. */
export const usersOf = (call: Call) => ({
  /** Newest first. */
  list: (query: ListSubUsersQuery = {}, options?: CallOptions) =>
    numbered(
      query,
      (page) => call('listSubUsers', { query: { ...query, ...page } }, options),
      ({ items }) => items,
    ),

  /**
   * With an `externalId` that exists already, returns its sub-user with `idempotent: true`. The call is
   * retried after a lost response only with one.
   */
  create: (body: CreateSubUserBody = {}, options?: CallOptions) =>
    call('createSubUser', { body }, options),

  /** One sub-user, with its wallet. */
  get: (id: string, options?: CallOptions) => call('getSubUser', { params: { id } }, options),

  /** Changes references. Fields that are absent stay as they are. */
  update: (id: string, body: UpdateSubUserBody, options?: CallOptions) =>
    call('updateSubUser', { params: { id }, body }, options),

  /** Only with a zero balance and nothing under way. */
  delete: (id: string, options?: CallOptions) => call('deleteSubUser', { params: { id } }, options),

  /** It can then no longer buy. Trades under way go on. */
  suspend: (id: string, options?: CallOptions) =>
    call('suspendSubUser', { params: { id } }, options),

  /** Undoes a suspension. */
  reactivate: (id: string, options?: CallOptions) =>
    call('reactivateSubUser', { params: { id } }, options),

  /** Moves money from the merchant's spot wallet to the sub-user. */
  fund: (id: string, body: FundBody, options?: MoneyOptions) =>
    call('fundSubUser', { params: { id }, body }, options),

  /** Moves money from the sub-user back to the merchant's spot wallet. */
  defund: (id: string, body: FundBody, options?: MoneyOptions) =>
    call('defundSubUser', { params: { id }, body }, options),

  /** The sub-user's trades, newest first. */
  trades: (id: string, query: ListSubUserTradesQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) =>
        call('listSubUserTrades', { params: { id }, query: { ...query, ...slice } }, options),
      ({ trades }) => trades,
    ),

  /** The postings of the sub-user's wallet, newest first. */
  ledger: (id: string, query: ListSubUserLedgerQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) =>
        call('listSubUserLedger', { params: { id }, query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),
})

export type Users = ReturnType<typeof usersOf>
