// The only arrows between modules, each with its reason. Imports are held to them by
// dependency-cruiser.mjs, SQL by table-owners.ts. An arrow that is not here is forbidden; a new one also
// needs its line in ARCHITECTURE.md.
import type { Arrows } from './sql-names.ts'

export const moduleArrows: Arrows = {
  ledger: {},
  catalog: {},
  outbox: {},
  sockets: {},
  fx: {},
  identity: { ledger: 'a new account gets its wallets; fund and defund move money between two' },
  pricing: {},
  trades: {
    ledger: 'a refund is posted in the commit of the step that causes it',
    outbox: 'every step emits its event in the same commit',
    identity: 'a trade is begun under a lock against the deletion of its account',
    pricing: 'a merchant’s fee is converted when it is earned',
  },
  buying: {
    trades: 'a buy is a trade',
    ledger: 'a buy puts its price in escrow in the same commit',
    identity: 'a buy needs the trade URL of the account that buys',
    catalog: 'a buy takes a listing, a failed one gives it back',
    pricing: 'the price of an item is sourcing and fees',
  },
  selling: {
    ledger: 'proceeds are posted in the commit of the step that earns them',
    identity: 'a sell belongs to the linked platform account of the seller',
    catalog: 'a quote is made of an item’s reference price and liquidity',
    pricing: 'a quote in euros is converted, and the merchant’s fee is a share of it',
    trades: 'a sell is a trade',
  },
  reconciliation: {
    buying: 'cases compare our orders with what their suppliers say',
    trades: 'what only a person can resolve is reported in one form',
    selling: 'cases compare our offers with what the platform lists',
  },
  webhooks: {
    identity: 'an endpoint belongs to a merchant',
    outbox: 'deliveries are made from news',
  },
  audit: {},
  operations: {
    audit: 'each act of an operator leaves an entry in its own transaction',
    identity: 'an operator changes the tier of an account',
    ledger: 'a trade is shown with its postings',
    catalog: 'markets are switched on and off; their health checks are part of their health',
    outbox: 'a trade is shown with its events',
    trades: 'trading is paused and resumed; a trade is shown with its steps',
    buying: 'a buy is shown with its orders; queues are part of the health of a market',
    selling: 'the pricing policy is changed; a sell is shown with its offers',
    reconciliation: 'cases are resolved; a trade is shown with its cases and calls',
    webhooks: 'endpoints are set and deliveries sent again; a trade is shown with its attempts',
  },
}
