// Whose each table's rows are. A tenant with all of its accounts can move to a database of its own (a cell)
// with the rows that say whose they are; what is shared stays, is had by each cell, or gets a port before it.
// docs/scale.md counts these; decisions/0087 says why.

export type Tenancy =
  | { readonly kind: 'tenant'; readonly column: string }
  /** The tenant is that of the account. */
  | { readonly kind: 'account'; readonly column: string }
  /** A part of one row of another table. */
  | { readonly kind: 'part'; readonly column: string; readonly of: string }
  /** A person may be a member of several tenants. */
  | { readonly kind: 'person'; readonly column: string }
  | {
      readonly kind: 'shared'
      readonly why: string
      /** Each cell has the same rows: kinds, states, settings. */
      readonly isSameEverywhere: boolean
    }

const tenant = (column = 'tenant_id'): Tenancy => ({ kind: 'tenant', column })
const account = (column: string): Tenancy => ({ kind: 'account', column })
const part = (of: string, column: string): Tenancy => ({ kind: 'part', of, column })
const person = (column = 'person_id'): Tenancy => ({ kind: 'person', column })
const shared = (why: string): Tenancy => ({ kind: 'shared', why, isSameEverywhere: false })
const same = (why: string): Tenancy => ({ kind: 'shared', why, isSameEverywhere: true })

const CELL = 'each cell has its own'
const MARKET = 'our account at a market: its money, pace and orders are one for all tenants'
const CATALOGUE = 'the catalogue is the same for all'
const CHAIN = 'a chain is the same for all'
const HOUSE_WALLET = 'our wallets on a chain have one sequence of nonces for all tenants'
const SETTING = 'a setting of the service'
const STATES = 'states and kinds: the same rows everywhere'
const ANONYMOUS = 'anonymous requests: no account is known yet'
const BOTS = 'our bots and what they hold'
const PROVIDER = 'our account at a payment provider'

export const TABLES: Readonly<Record<string, Tenancy>> = {
  'audit.entry': shared('acts of operators on any account, in one order'),

  'bidding.fill': tenant(),
  'bidding.market_order': tenant(),

  'buying.item': tenant(),
  'buying.lost_order': tenant(),
  'buying.market_account': shared(MARKET),
  'buying.market_queue': shared(MARKET),
  'buying.quick_buy': part('trades.trade', 'trade_id'),
  'buying.refused_order': part('buying.item', 'item_id'),
  'buying.restore': same(CELL),
  'buying.setting': same(SETTING),
  'buying.supplier_order': part('buying.item', 'item_id'),
  'buying.turn': shared('turns of tenants at one market'),

  'catalog.item': shared(CATALOGUE),
  'catalog.item_day': shared(CATALOGUE),
  'catalog.listing': shared('a listing is sold once, to one of all tenants'),
  'catalog.listing_change': shared(CATALOGUE),
  'catalog.market': shared(CATALOGUE),
  'catalog.observation': shared(CATALOGUE),
  'catalog.picture': shared(CATALOGUE),
  'catalog.sale_news': shared(CATALOGUE),
  'catalog.source_list': shared(CATALOGUE),
  'catalog.stock': shared(CATALOGUE),
  'catalog.taken_news': shared(CATALOGUE),
  'catalog.unknown_name': shared(CATALOGUE),

  'chains.address': account('owner_id'),
  'chains.block': shared(CHAIN),
  'chains.chain': shared(CHAIN),
  'chains.cursor': shared(CHAIN),
  'chains.dust_batch': part('chains.address', 'address_id'),
  'chains.dust_sum': part('chains.address', 'address_id'),
  'chains.holding': shared(HOUSE_WALLET),
  'chains.named_payment': part('chains.address', 'address_id'),
  'chains.own_payment': part('chains.address', 'address_id'),
  'chains.sweep': part('chains.address', 'address_id'),
  'chains.token': shared(CHAIN),
  'chains.transfer': account('owner_id'),
  'chains.unsupported': part('chains.address', 'address_id'),

  'custody.account': account('owner_id'),
  'custody.balance': part('custody.account', 'account_id'),
  'custody.closing': part('custody.account', 'account_id'),
  'custody.posting': part('custody.account', 'debit_account_id'),
  'custody.role': same(STATES),

  'deposits.credit': part('deposits.deposit', 'deposit_id'),
  'deposits.deposit': tenant(),
  'deposits.held_payment': part('deposits.deposit', 'deposit_id'),
  'deposits.provider_order': part('deposits.deposit', 'deposit_id'),
  'deposits.reversal': part('deposits.deposit', 'deposit_id'),
  'deposits.statement_check': shared(PROVIDER),
  'deposits.statement_difference': shared(PROVIDER),
  'deposits.transition': same(STATES),

  'fx.position': tenant(),
  'fx.rate': shared('the rate of a day'),

  'identity.account': account('id'),
  'identity.api_key': account('account_id'),
  'identity.key_request': part('identity.api_key', 'key_id'),
  'identity.key_request_owner': account('owner_id'),
  'identity.key_request_count': part('identity.api_key', 'key_id'),
  'identity.spend': part('identity.spend_limit', 'limit_id'),
  'identity.spend_limit': part('identity.api_key', 'id'),
  'identity.spend_part': part('identity.spend_limit', 'limit_id'),
  'identity.trade_url': account('account_id'),
  'identity.trade_url_look_up': tenant(),

  'infra.heartbeat': same(CELL),
  'infra.lease': same(CELL),
  'infra.migration': same(CELL),
  'infra.rate_slot': shared('pace towards markets and the game platform'),
  'infra.recovery_mark': same(CELL),
  'infra.sender': same(CELL),
  'infra.setting': same(CELL),

  'ledger.account': account('owner_id'),
  'ledger.account_kind': same(STATES),
  'ledger.audit_run': same(CELL),
  'ledger.balance': part('ledger.account', 'account_id'),
  'ledger.hold': account('owner_id'),
  'ledger.hold_resolution': part('ledger.hold', 'hold_id'),
  'ledger.journal': account('scope_id'),
  'ledger.journal_kind': same(STATES),
  'ledger.posting': part('ledger.journal', 'journal_id'),
  'ledger.statement': account('owner_id'),
  'ledger.statement_account': part('ledger.account', 'account_id'),
  'ledger.statement_row': part('ledger.statement_account', 'account_id'),

  'mail.message': shared('a queue of messages to any address'),

  'operations.adjustment': account('account_id'),
  'operations.balance_threshold': account('account_id'),
  'operations.books_audit': same(CELL),
  'operations.figures_mark': same(CELL),
  'operations.market_worker': same(CELL),
  'operations.partner_figure': tenant(),
  'operations.party_caller': same(CELL),
  'operations.restore_loss': same(CELL),
  'operations.service_figure': same(CELL),

  'outbound.attempt': part('outbound.transaction', 'transaction_id'),
  'outbound.final_watch': part('outbound.transaction', 'transaction_id'),
  'outbound.skipped_nonce': shared(HOUSE_WALLET),
  'outbound.transaction': shared(HOUSE_WALLET),
  'outbound.wallet': shared(HOUSE_WALLET),

  'outbox.event': tenant(),
  'outbox.event_key': part('outbox.event', 'public_id'),
  'outbox.unkeyed': same('how far the keys of events are written'),

  'payouts.approval_attempt': part('payouts.withdrawal', 'withdrawal_id'),
  'payouts.approved_sum': tenant(),
  'payouts.batch': tenant('owner_id'),
  'payouts.batch_withdrawal': part('payouts.batch', 'batch_id'),
  'payouts.deposit': tenant('merchant_id'),
  'payouts.destination': tenant('merchant_id'),
  'payouts.limiter': shared('the daily limit of the service over all tenants'),
  'payouts.merchant': tenant('id'),
  'payouts.quote': tenant('merchant_id'),
  'payouts.withdrawal': tenant(),

  'people.challenge': person(),
  'people.chat_link': person(),
  'people.chat_request': part('people.session', 'session_id'),
  'people.factor_removal': person(),
  'people.impersonation': account('account_id'),
  'people.invitation': account('account_id'),
  'people.mail_token': person(),
  'people.membership': account('account_id'),
  'people.passkey': person(),
  'people.passkey_ceremony': person(),
  'people.person': person('id'),
  'people.recovery_code': person(),
  'people.registration': shared(ANONYMOUS),
  'people.saved_view': account('account_id'),
  'people.session': person(),
  'people.throttle': shared(ANONYMOUS),
  'people.visitor_request': shared(ANONYMOUS),

  'pricing.setting': same(SETTING),

  'reconciliation.baseline': shared(MARKET),
  'reconciliation.case_entry': part('reconciliation.case_file', 'case_id'),
  'reconciliation.case_file': shared('what contradicts, at a market or a bot'),
  'reconciliation.gate_opening': shared(MARKET),
  'reconciliation.placing_gate': shared(
    'what may be sent after a restore, by market, bots and payments',
  ),
  'reconciliation.statement_line': shared(MARKET),
  'reconciliation.statement_run': shared(MARKET),
  'reconciliation.supplier_call': shared(MARKET),

  'selling.band': same(SETTING),
  'selling.item': tenant(),
  'selling.item_policy': same(SETTING),
  'selling.offer': part('selling.sell', 'trade_id'),
  'selling.policy': same(SETTING),
  'selling.sell': tenant(),
  'selling.stock': shared(BOTS),

  'sockets.process': same(CELL),
  'sockets.slot': tenant(),

  'status.judging': same(CELL),
  'status.market_figures': same(CELL),
  'status.period': same(CELL),

  'trades.account_figures': account('account_id'),
  'trades.day_figures': tenant(),
  'trades.figure_change': tenant(),
  'trades.figures_mark': tenant(),
  'trades.item': part('trades.trade', 'trade_id'),
  'trades.item_step': part('trades.trade', 'trade_id'),
  'trades.switch': same(SETTING),
  'trades.tenant_day_figures': tenant(),
  'trades.trade': tenant(),
  'trades.transition': same(STATES),

  'webhooks.attempt': part('webhooks.delivery', 'delivery_id'),
  'webhooks.delivery': tenant(),
  'webhooks.due_endpoint': part('webhooks.endpoint', 'endpoint_id'),
  'webhooks.endpoint': tenant(),
  'webhooks.event_name': same(STATES),
  'webhooks.notice': part('webhooks.endpoint', 'endpoint_id'),
  'webhooks.recovery': part('webhooks.endpoint', 'endpoint_id'),
}

/** What the row that a table is a part of is; null for a table that is not listed. */
export function rootOf(table: string): Exclude<Tenancy['kind'], 'part'> | null {
  const found = TABLES[table]
  if (found === undefined) return null
  return found.kind === 'part' ? rootOf(found.of) : found.kind
}
