// What keeps the books right in the database, each taken away in turn. Some test of the files beside it
// must fail then: a guard whose loss no test notices may be lost in the next migration.
import { MARKETS } from './markets.ts'
import { MONEY } from './money.ts'
import { constraint, edit, index, type Mutation, noLock, trigger } from './mutation.ts'

const LEDGER = 'apps/server/src/modules/money/ledger'
const BUYING = 'apps/server/src/modules/trading/buying'
const SELLING = 'apps/server/src/modules/trading/selling'
const RECONCILIATION = 'apps/server/src/modules/trading/reconciliation'
const SUB_USERS = 'apps/server/src/modules/accounts/identity/sub-users.db.test.ts'
const BOOKS = `${LEDGER}/books.db.test.ts`
const ENTRIES = `${LEDGER}/entry.db.test.ts`
const STATEMENTS = `${LEDGER}/monthly-statement.db.test.ts`
const FUND = `${LEDGER}/fund.db.test.ts`
const BUY = `${BUYING}/buy.db.test.ts`
const QUICK_BUY = `${BUYING}/quick-buy.db.test.ts`
const STEP = `${BUYING}/step.db.test.ts`
const MARKET_ORDERS = `${BUYING}/market-orders.db.test.ts`
const MARKET_ORDER_PAUSES = `${BUYING}/market-order-pauses.db.test.ts`
const ORDERS = `${BUYING}/orders.db.test.ts`
const CANCEL = `${BUYING}/cancel.db.test.ts`
const CONTESTED = 'apps/server/src/operations/acts/contested.db.test.ts'
const SUSPENDED = `${BUYING}/suspended.db.test.ts`
const FAIRNESS = `${BUYING}/fairness.db.test.ts`
const LEASES = `${BUYING}/leases.db.test.ts`
const MANY_TRADES = 'apps/server/src/modules/trading/trades/many-trades.db.test.ts'
const SELL = `${SELLING}/sell.db.test.ts`
const OFFERS = `${SELLING}/offers.db.test.ts`
const SENDS = `${SELLING}/sends.db.test.ts`
const PLACING_GATE = 'apps/server/src/modules/trading/reconciliation/placing-gate.db.test.ts'
const CRASH = `${SELLING}/crash.db.test.ts`
const CASES = `${RECONCILIATION}/cases.db.test.ts`
const ADMINISTRATION = 'apps/server/src/edges/http/dashboard/administration.db.test.ts'
const PEOPLE = 'apps/server/src/edges/http/dashboard/people.db.test.ts'
const LOGINS = 'apps/server/src/edges/http/dashboard/logins.db.test.ts'
const READING = 'apps/server/src/edges/http/dashboard/exports.db.test.ts'
const AUDIT_LOG = 'apps/server/src/modules/accounts/audit/audit.db.test.ts'
const ADDRESSES = 'apps/server/src/main/deposit-addresses.db.test.ts'
const CLAIMS = 'apps/server/src/modules/events/webhooks/claim.db.test.ts'
const BACKLOG = 'tests/webhooks/backlog.db.test.ts'
const MONTHS = 'apps/server/src/modules/events/webhooks/partitions.db.test.ts'
const SLOTS = 'apps/server/src/modules/events/sockets/connection-slots.db.test.ts'
const GUARDS = 'tests/mutations/guards.db.test.ts'
const CLOSED = 'apps/server/src/operations/acts/closed-accounts.db.test.ts'
const CLOSE_WITH_MONEY = 'apps/server/src/operations/acts/close-with-money.db.test.ts'
const LOGIN_GUARDS = 'tests/mutations/logins.db.test.ts'
const CHAIN_DEPOSITS = 'tests/chains/deposits.db.test.ts'
const CHAIN_FLOODS = 'tests/chains/flood.db.test.ts'
const CHAIN_SWEEPS = 'tests/chains/sweep.db.test.ts'

export const MUTATIONS: readonly Mutation[] = [
  // The ledger.
  constraint('ledger.balance', 'no_overdraft', BOOKS),
  constraint('ledger.posting', 'posting_amount_positive', BOOKS),
  constraint('ledger.posting', 'posting_two_accounts', BOOKS),
  constraint('ledger.posting', 'posting_journal', BOOKS),
  constraint('ledger.hold', 'hold_amount_positive', GUARDS),
  constraint('ledger.hold_resolution', 'hold_resolved_once', BOOKS, GUARDS),
  constraint('ledger.hold_resolution', 'hold_resolution_adds_up', BOOKS, GUARDS),
  constraint('ledger.hold_resolution', 'hold_resolution_not_negative', BOOKS, GUARDS),
  constraint('ledger.hold_resolution', 'hold_resolution_hold', BOOKS, GUARDS),
  constraint('ledger.journal', 'journal_reversed_once', BOOKS, GUARDS),
  constraint('ledger.account', 'account_has_traits_of_its_kind', GUARDS, ENTRIES),
  trigger('ledger.journal', 'journal_kind_known', ENTRIES),
  trigger('ledger.account_kind', 'account_kind_append_only', GUARDS),
  trigger('ledger.journal_kind', 'journal_kind_append_only', GUARDS),
  trigger('ledger.balance', 'balance_guard', BOOKS),
  trigger('ledger.balance', 'balance_kept', BOOKS),
  trigger('ledger.posting', 'posting_apply', BOOKS),
  trigger('ledger.posting', 'posting_append_only', BOOKS),
  trigger('ledger.journal', 'journal_append_only', BOOKS),
  trigger('ledger.account', 'account_append_only', BOOKS, GUARDS),
  trigger('ledger.statement', 'statement_append_only', STATEMENTS),
  trigger('ledger.statement_account', 'statement_account_append_only', STATEMENTS),
  trigger('ledger.statement_row', 'statement_row_append_only', STATEMENTS),
  // Chains.
  trigger('chains.address', 'address_kept', ADDRESSES),
  constraint('chains.address', 'address_one_for_a_purpose', ADDRESSES),
  constraint('chains.address', 'address_wallet_owns_itself', CHAIN_DEPOSITS),
  constraint('chains.address', 'address_of_owner_is_derived', CHAIN_DEPOSITS),
  constraint('chains.transfer', 'transfer_identity', CHAIN_DEPOSITS),
  trigger('chains.transfer', 'transfer_guard', CHAIN_DEPOSITS),
  trigger('chains.transfer', 'transfer_sum_dust', CHAIN_FLOODS),
  edit(
    'constraint',
    'chains.collect_dust: a batch reaches the minimum',
    { of: 'chains.collect_dust', from: 'having sum(small.units) >= least_units_', to: '' },
    CHAIN_FLOODS,
  ),
  edit(
    'constraint',
    'chains.list_due: owners take turns',
    { of: 'chains.list_due', from: 'partition by p.id order by', to: 'order by' },
    CHAIN_FLOODS,
  ),
  index('chains.sweep_one_open', CHAIN_SWEEPS),
  trigger('audit.entry', 'entry_append_only', AUDIT_LOG),
  trigger('operations.adjustment', 'adjustment_kept', ADMINISTRATION),
  constraint('operations.adjustment', 'adjustment_by_two', ADMINISTRATION),
  constraint('operations.adjustment', 'adjustment_decision_is_signed', LOGIN_GUARDS),
  constraint('operations.adjustment', 'adjustment_posted_when_approved', LOGIN_GUARDS),
  trigger('ledger.hold', 'hold_append_only', BOOKS),
  trigger('ledger.hold_resolution', 'hold_resolution_append_only', BOOKS, GUARDS),
  {
    name: 'ledger.journal: one for each idempotency key',
    kind: 'idempotency',
    statements: ['alter table ledger.journal drop constraint journal_once'],
    edits: [
      { of: 'ledger.post', from: 'on conflict (scope_id, idempotency_key) do nothing', to: '' },
    ],
    files: [FUND, BOOKS],
  },
  edit(
    'idempotency',
    'ledger.post: another request under a known key is refused',
    { of: 'ledger.post', from: 'first_hash <> request_hash_', to: 'false' },
    FUND,
    BOOKS,
  ),
  noLock(
    'ledger.post',
    'if cardinality(debits) > 1 then perform ledger.lock_accounts(debits || credits); end if;',
    GUARDS,
  ),
  noLock(
    'ledger.lock_accounts',
    `perform from ledger.balance where account_id = any (account_ids)
    order by ledger.is_shared(account_id), account_id for no key update;`,
    GUARDS,
  ),
  // Accounts.
  noLock('identity.lock_active_account', ' for key share', SUB_USERS),
  noLock('identity.lock_owners', ' for key share', CLOSE_WITH_MONEY),
  noLock('identity.refuse_below_deleted', ' for key share', CLOSED),
  trigger('identity.account', 'parent_is_open', CLOSED),
  trigger('identity.api_key', 'account_is_open', CLOSED),
  trigger('identity.trade_url', 'account_is_open', CLOSED),
  trigger('people.membership', 'account_is_open', CLOSED),
  trigger('people.invitation', 'account_is_open', CLOSED),
  trigger('webhooks.endpoint', 'account_is_open', CLOSED),
  trigger('chains.address', 'account_is_open', CLOSED),
  trigger('payouts.merchant', 'account_is_open', CLOSED),
  trigger('payouts.destination', 'account_is_open', CLOSED),
  trigger('operations.balance_threshold', 'account_is_open', CLOSED),
  trigger('operations.adjustment', 'account_is_open', CLOSED),
  constraint('people.passkey', 'passkey_credential_once', PEOPLE),
  constraint('people.chat_link', 'chat_link_account_once', LOGINS),
  index('people.factor_removal_open_once', LOGINS),
  constraint('people.factor_removal', 'factor_removal_waits_72_hours', LOGINS),
  constraint('people.factor_removal', 'factor_removal_is_announced', LOGINS),
  constraint('people.saved_view', 'saved_view_name_once', READING),
  index('people.invitation_open_once', GUARDS),
  constraint('people.invitation', 'invitation_ends_once', GUARDS),
  constraint('people.invitation', 'invitation_inviter', GUARDS),
  constraint('people.membership', 'membership_role_fits_kind', LOGIN_GUARDS),
  constraint('people.session', 'session_membership', LOGIN_GUARDS),
  constraint('people.session', 'session_token_once', LOGIN_GUARDS),
  constraint('people.challenge', 'challenge_bounds_tries', LOGIN_GUARDS),
  constraint('people.challenge', 'challenge_bounds_mails', LOGIN_GUARDS),
  constraint('people.challenge', 'challenge_setup_of_session', LOGIN_GUARDS),
  constraint('people.impersonation', 'impersonation_within_an_hour', LOGIN_GUARDS),
  constraint('people.impersonation', 'impersonation_has_a_reason', LOGIN_GUARDS),
  constraint('people.impersonation', 'impersonation_token_once', LOGIN_GUARDS),
  // Buys.
  index('buying.item_one_live_purchase', GUARDS, BUY, STEP),
  {
    name: 'trades.trade: one for each external id (trade_replay)',
    kind: 'idempotency',
    statements: ['drop index trades.trade_replay'],
    edits: [
      {
        of: 'trades.begin_or_replay',
        from: 'on conflict (tenant_id, external_id, account_id) where external_id is not null do nothing',
        to: '',
      },
    ],
    files: [BUY, QUICK_BUY, SELL],
  },
  edit(
    'idempotency',
    'trades.begin_or_replay: another request under a known external id is refused',
    { of: 'trades.begin_or_replay', from: 'first_hash <> request_hash_', to: 'false' },
    BUY,
    QUICK_BUY,
    SELL,
    GUARDS,
  ),
  edit(
    'constraint',
    'catalog.take_listing: a listing that is taken is gone',
    { of: 'catalog.take_listing', from: 'and not l.taken', to: '' },
    BUY,
    GUARDS,
  ),
  edit(
    'constraint',
    'catalog.take_listing: a listing that became dearer is refused',
    {
      of: 'catalog.take_listing',
      from: 'and l.price_mills <= take_listing.expected_price_mills',
      to: '',
    },
    BUY,
    GUARDS,
  ),
  edit(
    'lock',
    'buying.place_buy: listings are taken in the order of their ids',
    { of: 'buying.place_buy', from: 'wanted (id, mills) order by id', to: 'wanted (id, mills)' },
    BUY,
    GUARDS,
  ),
  noLock('catalog.take_cheapest', 'for update of l skip locked', QUICK_BUY, GUARDS),
  edit(
    'constraint',
    'bidding.take_unit: no more units than the quantity',
    { of: 'bidding.take_unit', from: 'and o.pending + o.filled < o.quantity', to: '' },
    MARKET_ORDERS,
  ),
  edit(
    'constraint',
    'bidding.count_step: a fill that is over gives its unit back',
    {
      of: 'bidding.count_step',
      from: 'o.pending - case when from_hold_ then 0 else 1 end',
      to: 'o.pending',
    },
    MARKET_ORDERS,
  ),
  edit(
    'lock',
    'bidding.place_order: orders of one tenant are counted one after the other',
    {
      of: 'bidding.place_order',
      from: "perform pg_advisory_xact_lock(hashtextextended('bidding.place_order:' || tenant_id_, 0));",
      to: '',
    },
    MARKET_ORDER_PAUSES,
  ),
  noLock('trades.move_items', 'for no key update', STEP, GUARDS),
  edit(
    'constraint',
    'trades.move_items: only steps of the table are taken',
    {
      of: 'trades.move_items',
      from: 'not exists (select from trades.transition where type = trade_.type and from_status = from_ and to_status = to_)',
      to: 'false',
    },
    STEP,
    OFFERS,
    GUARDS,
  ),
  edit(
    'idempotency',
    'trades.move_items: items that were moved already are left alone',
    { of: 'trades.move_items', from: 'and i.status = from_', to: '' },
    STEP,
    OFFERS,
    GUARDS,
  ),
  edit(
    'lock',
    'buying.end_unplaced: only what no worker has begun',
    {
      of: 'buying.end_unplaced',
      from: "and i.work = 'place' order by i.id for update",
      to: '',
    },
    CANCEL,
    SUSPENDED,
  ),
  edit(
    'lock',
    'buying.begin_order: only under the claim that it names',
    {
      of: 'buying.begin_order',
      from: "and i.work = 'place' and greatest(i.due_at, i.leased_until) = claimed_until_",
      to: '',
    },
    SUSPENDED,
  ),
  edit(
    'constraint',
    'buying.full_markets: no more than the limit may wait',
    {
      of: 'buying.full_markets',
      from: 'waiting.of_tenant + m.more > s.waiting_limit',
      to: 'false',
    },
    FAIRNESS,
  ),
  edit(
    'constraint',
    'buying.full_markets: a child leaves as many to its siblings as it has',
    { of: 'buying.full_markets', from: 'and identity.is_child(account_id_)', to: 'and false' },
    FAIRNESS,
  ),
  edit(
    'lock',
    'buying.check_waiting: buys of a tenant at a market are counted one after the other',
    {
      of: 'buying.check_waiting',
      from: "perform pg_advisory_xact_lock(hashtextextended('buying.waiting:' || tenant_id_ || ':' || market_, 0));",
      to: '',
    },
    FAIRNESS,
  ),
  noLock(
    'buying.claim_followed',
    "perform pg_advisory_xact_lock(hashtextextended('buying.claim_followed:' || market_ || ':' || market_account_, 0));",
    FAIRNESS,
  ),
  {
    name: 'buying.claim_placements: what another worker has is not claimed',
    kind: 'lock',
    // When it is chosen, and again under its lock.
    edits: [
      {
        of: 'buying.claim_placements',
        from: 'and coalesce(i.leased_until <= at_, true)\n        and i.created_at',
        to: 'and i.created_at',
      },
      {
        of: 'buying.claim_placements',
        from: 'and coalesce(i.leased_until <= at_, true) for update',
        to: 'for update',
      },
    ],
    files: [LEASES],
  },
  constraint('buying.setting', 'setting_waiting_limit_fits_a_quick_buy', GUARDS),
  edit(
    'lock',
    'buying.claim_placements: one worker after the other takes the turns of a market',
    {
      of: 'buying.claim_placements',
      from: 't.party_id = nil for update',
      to: 't.party_id = nil',
    },
    FAIRNESS,
  ),
  // Figures.
  trigger('trades.trade', 'trade_figures_noted', MANY_TRADES),
  edit(
    'constraint',
    'trades.replace_item: a kept day follows the prices of its trades',
    {
      of: 'trades.replace_item',
      from: 'from trade t where at_ >=',
      to: 'from trade t where false and at_ >=',
    },
    MANY_TRADES,
  ),
  edit(
    'constraint',
    'trades.keep_day: changes that the sums of the day contain are dropped',
    { of: 'trades.keep_day', from: 'and c.day = day_', to: 'and false' },
    MANY_TRADES,
  ),
  edit(
    'constraint',
    'trades.fold_changes: what a kept day brought a partner is in its totals',
    { of: 'trades.fold_changes', from: 'm.child_orders + child.orders', to: 'm.child_orders' },
    MANY_TRADES,
  ),
  constraint('trades.item', 'item_amounts', GUARDS),
  constraint('trades.item', 'item_refund_adds_up', GUARDS),
  constraint('trades.item', 'item_settled_when_completed', GUARDS),
  constraint('buying.item', 'item_given_back_has_no_work', GUARDS),
  constraint('buying.item', 'item_decided_before_its_end', CONTESTED),
  constraint('buying.supplier_order', 'supplier_order_pkey', GUARDS, ORDERS),
  constraint('buying.supplier_order', 'supplier_order_custom_id', GUARDS, ORDERS),
  {
    name: 'outbox.event_key: each event once (event_once)',
    kind: 'idempotency',
    statements: [
      'alter table outbox.event_key drop constraint event_once',
      'alter table outbox.event_first drop constraint event_first_once',
    ],
    files: [GUARDS, STEP],
  },
  // Sells.
  index('selling.item_one_open_sell', SELL, GUARDS),
  constraint('selling.offer', 'offer_once', GUARDS, OFFERS),
  index('selling.stock_asset', GUARDS, OFFERS),
  constraint('selling.stock', 'stock_pkey', GUARDS, OFFERS),
  noLock('trades.lock_trade', 'for no key update', GUARDS, OFFERS, CRASH),
  noLock(
    'selling.assign',
    "perform pg_advisory_xact_lock(hashtextextended('selling.assign', 0));",
    SENDS,
    CRASH,
    GUARDS,
  ),
  edit(
    'constraint',
    'selling.is_within_share: a tenant leaves a part of the bots to others',
    {
      of: 'selling.is_within_share',
      from: '100 * of_tenant_ < share_ * (of_tenant_ + free_)',
      to: 'true',
    },
    SENDS,
  ),
  edit(
    'constraint',
    'selling.assign: a tenant leaves a part of the offers to an account to others',
    {
      of: 'selling.assign',
      from: 'not selling.is_within_share(share_, of_user_, null, free_of_user_)',
      to: 'false',
    },
    SENDS,
  ),
  edit(
    'constraint',
    'selling.is_within_share: a child leaves a part to its siblings',
    { of: 'selling.is_within_share', from: 'of_child_ is null', to: 'true' },
    SENDS,
  ),
  edit(
    'constraint',
    'selling.has_too_many_waiting: no more than the limit may wait',
    { of: 'selling.has_too_many_waiting', from: 'w.of_tenant > p.waiting_limit', to: 'false' },
    SENDS,
  ),
  edit(
    'lock',
    'selling.check_waiting: sells of a tenant are counted one after the other',
    {
      of: 'selling.check_waiting',
      from: "perform pg_advisory_xact_lock(hashtextextended('selling.waiting:' || tenant_id_, 0));",
      to: '',
    },
    SENDS,
  ),
  edit(
    'constraint',
    'selling.assign: a sell that is held back after a restore is given to no bot',
    { of: 'selling.assign', from: 'and s.waiting and not s.held_back', to: 'and s.waiting' },
    PLACING_GATE,
  ),
  edit(
    'constraint',
    'selling.adopt_offer: only items that wait',
    { of: 'selling.adopt_offer', from: 'count_ <> cardinality(item_ids_)', to: 'false' },
    PLACING_GATE,
  ),
  edit(
    'idempotency',
    'selling.adopt_offer: an offer that is known carries no other items',
    { of: 'selling.adopt_offer', from: 'if not found then return 0; end if;', to: '' },
    PLACING_GATE,
  ),
  ...MARKETS,
  ...MONEY,
  // What is reported to operators and merchants.
  noLock(
    'reconciliation.report',
    "perform pg_advisory_xact_lock(hashtextextended('reconciliation.case:' || kind_ || ':' || subject_, 0));",
    GUARDS,
    CASES,
  ),
  index('reconciliation.case_file_one_open', GUARDS, CASES),
  constraint('webhooks.delivery', 'delivery_once', GUARDS),
  constraint('webhooks.delivery', 'delivery_parked_for_a_reason', GUARDS),
  constraint('webhooks.endpoint', 'endpoint_dialect_known', GUARDS),
  constraint('webhooks.endpoint', 'endpoint_removed_is_disabled', GUARDS),
  edit(
    'constraint',
    'webhooks.claim_next: no more than an owner may hold',
    { of: 'webhooks.claim_next', from: 'where place <= per_owner_', to: '' },
    CLAIMS,
  ),
  edit(
    'constraint',
    'webhooks.claim_next: no more than endpoints of one kind may hold together',
    { of: 'webhooks.claim_next', from: 'room is null or nth_of_class <= room', to: 'true' },
    CLAIMS,
  ),
  noLock(
    'outbox.begin_numbers',
    "perform pg_advisory_xact_lock(hashtextextended('outbox.begin_numbers', 0));",
    MONTHS,
  ),
  edit(
    'constraint',
    'outbox.begin_numbers: numbers never go back',
    { of: 'outbox.begin_numbers', from: 'where numbers.last_value < first_', to: '' },
    MONTHS,
  ),
  edit(
    'lock',
    'webhooks.skip_open: an endpoint that is enabled waits for the batch',
    { of: 'webhooks.skip_open', from: 'for share skip locked', to: '' },
    BACKLOG,
  ),
  edit(
    'lock',
    'webhooks.recover: one call at a time for an endpoint',
    {
      of: 'webhooks.recover',
      from: "if not pg_try_advisory_xact_lock(hashtextextended('webhooks.recover:' || endpoint_id_, 0)) then return null; end if;",
      to: '',
    },
    BACKLOG,
  ),
  // Sockets.
  edit(
    'lock',
    'sockets.take_slots: calls of one tenant are counted one after the other',
    { of: 'sockets.take_slots', from: 'pg_advisory_xact_lock(k.key)', to: 'k.key' },
    SLOTS,
  ),
  edit(
    'lock',
    'sockets.take_slots: near the total cap there is one call at a time',
    {
      of: 'sockets.take_slots',
      from: 'perform pg_advisory_xact_lock(lock_);',
      to: 'perform pg_advisory_xact_lock_shared(lock_);',
    },
    SLOTS,
  ),
  edit(
    'constraint',
    'sockets.take_slots: no more than an account may have',
    { of: 'sockets.take_slots', from: 'own_ >= per_account_', to: 'false' },
    SLOTS,
  ),
  edit(
    'constraint',
    'sockets.take_slots: no more than a tenant may have',
    { of: 'sockets.take_slots', from: 'tenant_ >= per_tenant_', to: 'false' },
    SLOTS,
  ),
]
