import { MERCHANT } from './merchant-service.ts'
import { type Settings, settingsOf, type TradepostOptions } from './options.ts'
import { headerText } from './request.ts'
import { type Account, accountOf } from './resources/account.ts'
import { type Events, eventsOf } from './resources/events.ts'
import type { Market } from './resources/market.ts'
import type { MarketOrders } from './resources/market-orders.ts'
import { type Merchant, merchantOf, type Trades, tradesOf } from './resources/merchant.ts'
import { type Payouts, payoutsOf } from './resources/payouts.ts'
import type { Selling } from './resources/selling.ts'
import { type Users, usersOf } from './resources/users.ts'
import { createCall } from './transport.ts'

/**
 * The merchant interface behind one API key. Its `Account` part runs as the merchant itself; `as` returns
 * the same for a sub-user.
 *
 * Calls reject with a `TradepostError` when the service refuses, with a `TransportError` when there is no
 * response of the service, and with the reason of your signal when you abort them.
 */
export class Tradepost implements Account {
  // Private, so that printing a client does not print the key.
  readonly #settings: Settings
  readonly merchant: Merchant
  readonly users: Users
  readonly trades: Trades
  readonly events: Events
  readonly payouts: Payouts
  readonly market: Market
  readonly marketOrders: MarketOrders
  readonly selling: Selling
  readonly wallet: Account['wallet']
  readonly deposits: Account['deposits']
  readonly tradeUrls: Account['tradeUrls']
  readonly transactions: Account['transactions']
  readonly live: Account['live']

  constructor(options: TradepostOptions) {
    this.#settings = settingsOf(options)
    const call = createCall(this.#settings, MERCHANT, undefined)
    const own = accountOf(call, this.#settings.baseUrl)
    this.merchant = merchantOf(call)
    this.users = usersOf(call)
    this.trades = tradesOf(call)
    this.events = eventsOf(call)
    this.payouts = payoutsOf(call)
    this.market = own.market
    this.marketOrders = own.marketOrders
    this.selling = own.selling
    this.wallet = own.wallet
    this.deposits = own.deposits
    this.tradeUrls = own.tradeUrls
    this.transactions = own.transactions
    this.live = own.live
  }

  /** All that a sub-user can do for itself, by its UUID or your externalId. */
  as(user: string): Account {
    headerText(user, 'A sub-user')
    return accountOf(createCall(this.#settings, MERCHANT, user), this.#settings.baseUrl)
  }
}
