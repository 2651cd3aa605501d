// The only arrows between modules, each with its reason. dependency-cruiser.mjs checks imports against them,
// table-owners.ts checks SQL. An arrow that is not here is forbidden, and so is one that nothing uses. The
// table of modules in ARCHITECTURE.md is generated from this file.
import type { Arrows } from './sql-names.ts'

export const moduleArrows = {
  ledger: {},
  catalog: {},
  outbox: {},
  sockets: {},
  fx: { ledger: 'what the exchange accounts hold is the exposure to the rate' },
  identity: { ledger: 'a new account gets its wallets; fund and defund move money between two' },
  pricing: {},
  bidding: {
    identity: 'a market order belongs to an account, and pauses while that may not act',
    outbox: 'a pause and the end of a market order emit their event in the same commit',
    ledger: 'a market order that is paused for its balance goes on when the wallet covers it',
    pricing: 'a listing fits a market order at the price that its account pays',
  },
  trades: {
    bidding: 'a step of a fill is counted in its market order in the same commit',
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
    bidding: 'a fill of a market order is a buy that takes a unit of it in the same commit',
    pricing: 'the price of an item is sourcing and fees',
  },
  selling: {
    ledger: 'proceeds are posted in the commit of the step that earns them',
    identity: 'a sell belongs to the linked platform account of the seller',
    pricing: 'a quote in euros is converted, and the merchant’s fee is a share of it',
    trades: 'a sell is a trade',
  },
  status: {
    identity: 'every merchant is notified of a change',
    outbox: 'by an event of its own',
  },
  reconciliation: {
    buying: 'cases compare our orders with what their suppliers say',
    selling: 'cases compare our offers with what the platform lists',
  },
  webhooks: {
    identity: 'an endpoint is set under a lock against the closing of its account',
    outbox: 'deliveries are made from events',
    people: 'the people of a tenant are notified in the commit that records a failing endpoint',
  },
  chains: {
    identity: 'an address is given under a lock against the closing of its account',
    custody: 'a transfer that is credited is a posting in kind in the same commit',
    outbound: 'the transactions of a sweep are queued in the commit that decides them',
  },
  deposits: {
    ledger: 'a credit and its reversal are posted in the commit of the step',
    outbox: 'every step emits its event in the same commit',
    identity: 'a deposit is opened and credited under a lock against the deletion of its account',
    pricing: 'what a wallet in euros is credited is converted',
    fx: 'a transfer to a wallet in euros is credited at the current rate',
  },
  custody: {},
  payouts: {
    custody: 'an amount is set aside, paid or given back in the commit of its step',
    outbound: 'what is approved is signed and sent there',
    people: 'people are notified in the commit that holds a withdrawal',
    ledger: 'a withdrawal from a wallet is posted in cents',
    identity: 'a withdrawal is begun under a lock against the deletion of its account',
    outbox: 'every step emits its event in the same commit',
  },
  outbound: { custody: 'the gas of a transaction is posted when it is final' },
  audit: {},
  mail: {},
  people: {
    identity: 'members are invited and join under a lock against the closing of their account',
    audit: 'what people do with their logins is recorded in its own commit',
    mail: 'links and codes are sent in the transaction that makes them',
  },
} as const satisfies Arrows

/** What each module is about, for the table of ARCHITECTURE.md. */
export const moduleSubjects: Readonly<Record<keyof typeof moduleArrows, string>> = {
  ledger: 'accounts, postings, holds, wallets',
  catalog: 'items, listings, stock, markets, daily prices',
  outbox: 'events, written in the commit that causes them and read back in order',
  status: 'which parts of the service work, since when, and notifying merchants of changes',
  sockets: 'connection slots: how many live sockets are open, over all processes',
  fx: 'the exchange rate',
  identity: 'accounts, API keys, trade URLs',
  pricing: 'what a buy costs, conversions, roundings',
  trades: 'trades and their items: how they begin, every step, refunds, events, figures',
  bidding: 'market orders: standing orders to buy, their pauses and fills',
  buying: 'buys, orders at suppliers',
  selling: 'sells to our bots, quotes, offers, stock',
  reconciliation:
    'cases, calls to suppliers, what suppliers and the platform say against what we hold',
  webhooks: 'endpoints, deliveries, attempts',
  chains: 'networks, tokens, our addresses, blocks, transfers, confirmations, prices, sweeps',
  deposits: 'money that comes in: by a payment gateway, a card on-ramp or a chain',
  custody: 'the books in kind: base units by chain and token',
  payouts: 'withdrawals of crypto, their approval, custody of merchants',
  outbound: 'transactions that we sign and send',
  audit: 'who did what: acts of persons',
  mail: 'messages to people',
  people: 'who logs in, how they prove it, what they may do',
}
