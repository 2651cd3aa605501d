// Every table of the database: how long its rows live, who reads them, and why they are kept so long. A new
// table is a line here; docs/retention.md is made of it, and `npm run check` fails without it.

export type Kept = readonly [life: string, readBy: string, because: string]

const FOR_EVER = 'for ever'
const WHILE = 'while it holds'
const MONTH = '30 days after its end'
const ONE_ROW = 'a fixed number of rows'

const BOOKS = 'books: never changed; commercial and tax law ask for them for up to ten years'
const BUSINESS = 'shown to merchants without an end, and what the books refer to'
const WHO = 'says whose the business is'
const EVIDENCE = 'evidence of what was sent and decided, for disputes with suppliers and users'
const ACTS = 'says who did what, for audits and disputes'
const PRIVACY = 'personal data: kept no longer than it is of use'
const STATE = 'describes the present'
const TERMS = 'terms that are in force'
const CACHE = 'read anew from its source at any time'
const QUEUE = 'work that is under way'

export const TABLES: Readonly<Record<string, Kept>> = {
  'audit.entry': [FOR_EVER, 'audit log of the dashboard', ACTS],

  'bidding.fill': [FOR_EVER, 'workers: a listing is tried once for an order', EVIDENCE],
  'bidding.market_order': [FOR_EVER, 'merchants, support', BUSINESS],

  'buying.item': [FOR_EVER, 'workers, operators', EVIDENCE],
  'buying.lost_order': [FOR_EVER, 'operators after a restore', EVIDENCE],
  'buying.market_account': [FOR_EVER, 'workers, operators', 'orders name it'],
  'buying.market_queue': [ONE_ROW, 'api, for buys that would wait too long', STATE],
  'buying.quick_buy': [FOR_EVER, 'workers, support', EVIDENCE],
  'buying.refused_order': [FOR_EVER, 'reconciliation, support', EVIDENCE],
  'buying.restore': [FOR_EVER, 'workers after a restore', EVIDENCE],
  'buying.setting': [ONE_ROW, 'api', TERMS],
  'buying.supplier_order': [FOR_EVER, 'workers, reconciliation, support', EVIDENCE],
  'buying.turn': ['while something waits', 'workers', QUEUE],

  'catalog.item': [FOR_EVER, 'search, trades', 'trades name it'],
  'catalog.item_day': [FOR_EVER, 'charts of prices, of 365 days', 'shown to merchants'],
  'catalog.listing': ['7 days after it is gone, 30 after it was sold', 'search, buys', CACHE],
  'catalog.listing_change': ['15 minutes', 'api processes, sockets', CACHE],
  'catalog.market': [ONE_ROW, 'all processes', STATE],
  'catalog.observation': [ONE_ROW, 'job keep-history', STATE],
  'catalog.picture': ['the newest of PICTURE_MIB', 'api, for pages', CACHE],
  'catalog.sale_news': ['seconds', 'job recount-stock', QUEUE],
  'catalog.source_list': [ONE_ROW, 'jobs that read lists', STATE],
  'catalog.stock': [WHILE, 'search', CACHE],
  'catalog.taken_news': ['seconds', 'job recount-stock', QUEUE],
  'catalog.unknown_name': ['7 days', 'operators', CACHE],

  'chains.address': [FOR_EVER, 'scanners, deposits', 'an address receives money for ever'],
  'chains.block': ['16,384 blocks', 'scanners', CACHE],
  'chains.chain': [ONE_ROW, 'workers', STATE],
  'chains.cursor': [ONE_ROW, 'scanners', STATE],
  'chains.dust_batch': [FOR_EVER, 'deposits, support', BOOKS],
  'chains.dust_sum': [WHILE, 'scanners', STATE],
  'chains.holding': [WHILE, 'comparison with the nodes', STATE],
  'chains.named_payment': ['until it is compared', 'scanners', QUEUE],
  'chains.own_payment': ['as its block', 'comparison with the nodes', CACHE],
  'chains.sweep': [FOR_EVER, 'workers, operators', BOOKS],
  'chains.token': [ONE_ROW, 'workers', TERMS],
  'chains.transfer': [FOR_EVER, 'deposits, reconciliation, support', BOOKS],
  'chains.unsupported': [FOR_EVER, 'support', 'tokens that an owner may ask back'],

  'custody.account': [FOR_EVER, 'books in kind', BOOKS],
  'custody.balance': [WHILE, 'payouts', BOOKS],
  'custody.closing': [FOR_EVER, 'balances, audits', BOOKS],
  'custody.posting': [FOR_EVER, 'payouts, audits', BOOKS],
  'custody.role': [ONE_ROW, 'books in kind', TERMS],

  'deposits.credit': [FOR_EVER, 'deposits, statements', BOOKS],
  'deposits.deposit': [FOR_EVER, 'merchants, support', BUSINESS],
  'deposits.held_payment': [FOR_EVER, 'operators', EVIDENCE],
  'deposits.provider_order': [FOR_EVER, 'workers, support', EVIDENCE],
  'deposits.reversal': [FOR_EVER, 'deposits, statements', BOOKS],
  'deposits.statement_check': [ONE_ROW, 'reconciliation', STATE],
  'deposits.statement_difference': ['until it is explained', 'operators', STATE],
  'deposits.transition': [ONE_ROW, 'every step of a deposit', TERMS],

  'fx.position': [WHILE, 'funds and defunds', STATE],
  'fx.rate': [FOR_EVER, 'conversions, statements', BOOKS],

  'identity.account': [FOR_EVER, 'every request', WHO],
  'identity.api_key': [FOR_EVER, 'every request, audits', WHO],
  'identity.key_request': [
    '7 days, and the last 10,000 of a key and 100,000 of a tenant with its children',
    'owners of keys, administrators',
    'for finding faults of a client; no bodies, paths or queries',
  ],
  'identity.key_request_count': [FOR_EVER, 'processes that write requests of keys', STATE],
  'identity.key_request_owner': [FOR_EVER, 'processes that write requests of keys', STATE],
  'identity.spend': ['until its period is over', 'buys of limited keys', STATE],
  'identity.spend_limit': [FOR_EVER, 'buys of limited keys', TERMS],
  'identity.spend_part': ['until its period is over', 'buys of limited keys', STATE],
  'identity.trade_url': ['until its owner removes it', 'buys, sells', PRIVACY],
  'identity.trade_url_look_up': ['minutes after it was asked', 'workers', QUEUE],

  'infra.heartbeat': ['an hour after the last', 'health, alerts', STATE],
  'infra.lease': [WHILE, 'jobs', STATE],
  'infra.migration': [FOR_EVER, 'every start', 'says which schema this is'],
  'infra.rate_slot': [ONE_ROW, 'callers of suppliers', STATE],
  'infra.recovery_mark': [ONE_ROW, 'every start', 'shows that a database was restored'],
  'infra.sender': ['an hour after the last', 'gates', 'shows what a failover may have lost'],
  'infra.setting': [ONE_ROW, 'all processes', STATE],

  'ledger.account': [FOR_EVER, 'books', BOOKS],
  'ledger.account_kind': [ONE_ROW, 'books', TERMS],
  'ledger.audit_run': [ONE_ROW, 'job audit-books', STATE],
  'ledger.balance': [WHILE, 'wallets', BOOKS],
  'ledger.hold': [FOR_EVER, 'settlement, audits', BOOKS],
  'ledger.hold_resolution': [FOR_EVER, 'settlement, audits', BOOKS],
  'ledger.journal': [FOR_EVER, 'ledgers, exports, audits', BOOKS],
  'ledger.journal_kind': [ONE_ROW, 'books', TERMS],
  'ledger.posting': [FOR_EVER, 'ledgers, statements, exports, audits', BOOKS],
  'ledger.statement': [FOR_EVER, 'statements', BOOKS],
  'ledger.statement_account': [FOR_EVER, 'statements', BOOKS],
  'ledger.statement_row': [FOR_EVER, 'statements', BOOKS],

  'mail.message': ['30 days', 'job send-mail, support', PRIVACY],

  'operations.adjustment': [FOR_EVER, 'administrators', ACTS],
  'operations.balance_threshold': [WHILE, 'job watch-balances', TERMS],
  'operations.books_audit': [ONE_ROW, 'administrators, alerts', STATE],
  'operations.figures_mark': [ONE_ROW, 'job keep-overviews', STATE],
  'operations.market_worker': ['an hour after the last', 'health', STATE],
  'operations.party_caller': ['an hour after the last', 'status of the service', STATE],
  'operations.partner_figure': [
    'of hours 9 days, of days for ever',
    'overview of partners',
    'shown to partners without an end',
  ],
  'operations.restore_loss': [FOR_EVER, 'operators after a restore', EVIDENCE],
  'operations.service_figure': [
    'of hours 9 days, of days for ever',
    'overview of administrators',
    'some hundred rows a day',
  ],

  'outbound.attempt': [FOR_EVER, 'workers, support', EVIDENCE],
  'outbound.final_watch': ['until it is final', 'workers', QUEUE],
  'outbound.skipped_nonce': [FOR_EVER, 'workers', EVIDENCE],
  'outbound.transaction': [FOR_EVER, 'workers, payouts, support', BOOKS],
  'outbound.wallet': [ONE_ROW, 'workers', STATE],

  'outbox.event': [
    '`KEEP_EVENTS_DAYS`',
    '`GET /merchant/events`, webhooks, sockets',
    'merchants are promised 400 days',
  ],
  'outbox.event_key': [
    FOR_EVER,
    'every writer of an event, audits',
    'an event is written once, and audits ask whether it was, for as long as there is its trade',
  ],
  'outbox.unkeyed': ['until it is done', 'job keep-partitions', QUEUE],

  'payouts.approval_attempt': [
    'for ever, its bodies 30 days',
    'merchants, support',
    'shows what a merchant answered, and what was sent only while it can be of use',
  ],
  'payouts.approved_sum': ['a day', 'limits of withdrawals', STATE],
  'payouts.batch': [FOR_EVER, 'merchants, support', BUSINESS],
  'payouts.batch_withdrawal': [FOR_EVER, 'merchants, support', BUSINESS],
  'payouts.deposit': [FOR_EVER, 'merchants, support', BOOKS],
  'payouts.destination': ['until its owner removes it', 'withdrawals', TERMS],
  'payouts.limiter': [ONE_ROW, 'limits of withdrawals', STATE],
  'payouts.merchant': [WHILE, 'withdrawals', TERMS],
  'payouts.quote': ['a day after its end', 'withdrawals of the quoted amount', TERMS],
  'payouts.withdrawal': [FOR_EVER, 'merchants, support', BOOKS],

  'people.challenge': [MONTH, 'logins', PRIVACY],
  'people.chat_link': ['until the person removes it', 'dashboard', PRIVACY],
  'people.chat_request': [MONTH, 'links to the chat platform', PRIVACY],
  'people.factor_removal': [MONTH, 'logins', PRIVACY],
  'people.impersonation': [FOR_EVER, 'audit log', ACTS],
  'people.invitation': [FOR_EVER, 'members of an account', ACTS],
  'people.mail_token': [MONTH, 'links in mails', PRIVACY],
  'people.membership': [FOR_EVER, 'logins, audit log', ACTS],
  'people.passkey': ['until the person removes it', 'logins', PRIVACY],
  'people.passkey_ceremony': [MONTH, 'logins', PRIVACY],
  'people.person': ['for ever, without a name once deleted', 'logins, audit log', ACTS],
  'people.recovery_code': ['until the person replaces it', 'logins', PRIVACY],
  'people.registration': ['30 days unless confirmed', 'logins', PRIVACY],
  'people.saved_view': ['until its member leaves', 'dashboard', PRIVACY],
  'people.session': [MONTH, 'logins', PRIVACY],
  'people.throttle': ['a day', 'logins', PRIVACY],
  'people.visitor_request': ['until it is answered, 30 days at most', 'workers', PRIVACY],

  'pricing.setting': [ONE_ROW, 'buys', TERMS],

  'reconciliation.baseline': [ONE_ROW, 'comparison of balances', STATE],
  'reconciliation.case_entry': [FOR_EVER, 'operators', EVIDENCE],
  'reconciliation.case_file': [FOR_EVER, 'operators', EVIDENCE],
  'reconciliation.gate_opening': ['while a gate is closed', 'workers', STATE],
  'reconciliation.placing_gate': [ONE_ROW, 'workers, alerts', STATE],
  'reconciliation.statement_line': ['30 days', 'comparison with suppliers', CACHE],
  'reconciliation.statement_run': [ONE_ROW, 'comparison with suppliers', STATE],
  'reconciliation.supplier_call': [
    '`KEEP_CALLS_DAYS`',
    'timelines of items, figures of markets',
    'for reading only: what money hangs on is in `buying`',
  ],

  'selling.band': [ONE_ROW, 'quotes', TERMS],
  'selling.item': [FOR_EVER, 'workers, merchants', BUSINESS],
  'selling.item_policy': [WHILE, 'quotes', TERMS],
  'selling.offer': [FOR_EVER, 'workers, reconciliation', EVIDENCE],
  'selling.policy': [ONE_ROW, 'quotes', TERMS],
  'selling.sell': [FOR_EVER, 'workers, merchants', BUSINESS],
  'selling.stock': [FOR_EVER, 'operators', BOOKS],

  'sockets.process': ['while it runs', 'sockets', STATE],
  'sockets.slot': ['while the process runs', 'sockets', STATE],

  'status.judging': [ONE_ROW, 'the judge of the status', STATE],
  'status.market_figures': [ONE_ROW, 'status of the service', STATE],
  'status.period': [
    '100 days after its end',
    'status of the service, history of 90 days',
    'shown to merchants',
  ],

  'trades.account_figures': [WHILE, 'lists', CACHE],
  'trades.day_figures': [FOR_EVER, 'overviews, charts', BUSINESS],
  'trades.figure_change': ['until it is added', 'overviews', QUEUE],
  'trades.figures_mark': [ONE_ROW, 'overviews', STATE],
  'trades.item': [FOR_EVER, 'merchants, support', BUSINESS],
  'trades.item_step': [FOR_EVER, 'timelines, audits', BUSINESS],
  'trades.switch': [ONE_ROW, 'api', TERMS],
  'trades.tenant_day_figures': [FOR_EVER, 'overviews, charts', BUSINESS],
  'trades.trade': [FOR_EVER, 'merchants, support', BUSINESS],
  'trades.transition': [ONE_ROW, 'every step of a trade', TERMS],

  'webhooks.attempt': [
    '`KEEP_ATTEMPTS_DAYS`',
    'deliveries in the dashboard',
    'merchants are promised 30 days of what was sent and answered',
  ],
  'webhooks.delivery': [
    '`KEEP_DELIVERIES_DAYS`, or until none of its month waits',
    'workers, dashboard',
    'merchants are promised 30 days of seeing and resending them',
  ],
  'webhooks.due_endpoint': ['while something is to be sent', 'workers', STATE],
  'webhooks.endpoint': [FOR_EVER, 'workers, dashboard', 'deliveries name it'],
  'webhooks.event_name': [ONE_ROW, 'dispatch of events', TERMS],
  'webhooks.notice': [FOR_EVER, 'mail, dashboard', STATE],
  'webhooks.recovery': ['until it is over', 'workers', STATE],
}
