// What keeps the books right in the database, each taken away in turn. Some test of the files beside it
// must fail then: a guard whose loss nobody notices is a guard that the next migration may forget.
const LEDGER = 'apps/server/src/modules/ledger'
const TRADING = 'apps/server/src/modules/buying'
const SELLING = 'apps/server/src/modules/selling'
const RECONCILIATION = 'apps/server/src/modules/reconciliation'

const SUB_USERS = 'apps/server/src/modules/identity/sub-users.db.test.ts'
const BOOKS = `${LEDGER}/books.db.test.ts`
const FUND = `${LEDGER}/fund.db.test.ts`
const BUY = `${TRADING}/buy.db.test.ts`
const QUICK_BUY = `${TRADING}/quick-buy.db.test.ts`
const STEP = `${TRADING}/step.db.test.ts`
const ORDERS = `${TRADING}/orders.db.test.ts`
const CANCEL = `${TRADING}/cancel.db.test.ts`
const SELL = `${SELLING}/sell.db.test.ts`
const OFFERS = `${SELLING}/offers.db.test.ts`
const SENDS = `${SELLING}/sends.db.test.ts`
const CRASH = `${SELLING}/crash.db.test.ts`
const CASES = `${RECONCILIATION}/cases.db.test.ts`
const GUARDS = 'tests/mutations/guards.db.test.ts'

export interface Mutation {
  /** What is gone. */
  readonly name: string
  readonly kind: 'constraint' | 'trigger' | 'lock' | 'idempotency'
  readonly statements?: readonly string[]
  readonly edits?: readonly Edit[]
  /** Tried in this order until one fails. */
  readonly files: readonly string[]
}

/** A function of the database with a part of its text replaced. */
export interface Edit {
  readonly of: string
  readonly from: string
  readonly to: string
}

const constraint = (table: string, name: string, ...files: string[]): Mutation => ({
  name: `${table}: ${name}`,
  kind: 'constraint',
  statements: [`alter table ${table} drop constraint ${name}`],
  files,
})

const index = (name: string, ...files: string[]): Mutation => ({
  name: `unique index ${name}`,
  kind: 'constraint',
  statements: [`drop index ${name}`],
  files,
})

const trigger = (table: string, name: string, ...files: string[]): Mutation => ({
  name: `${table}: trigger ${name}`,
  kind: 'trigger',
  statements: [`drop trigger ${name} on ${table}`],
  files,
})

const edit = (
  kind: 'lock' | 'idempotency' | 'constraint',
  name: string,
  { of, from, to }: Edit,
  ...files: string[]
): Mutation => ({ name, kind, edits: [{ of, from, to }], files })

const noLock = (of: string, from: string, ...files: string[]): Mutation =>
  edit('lock', `${of}: ${from.trim()}`, { of, from, to: '' }, ...files)

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
  constraint('ledger.account', 'account_owned_kinds_are_tracked', GUARDS),
  trigger('ledger.balance', 'balance_guard', BOOKS),
  trigger('ledger.balance', 'balance_kept', BOOKS),
  trigger('ledger.posting', 'posting_apply', BOOKS),
  trigger('ledger.posting', 'posting_append_only', BOOKS),
  trigger('ledger.journal', 'journal_append_only', BOOKS),
  trigger('ledger.account', 'account_append_only', BOOKS, GUARDS),
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
    'perform from ledger.balance where account_id = any (debits || credits) order by account_id for no key update;',
    GUARDS,
  ),
  noLock(
    'ledger.lock_accounts',
    'perform from ledger.balance where account_id = any (account_ids) order by account_id for no key update;',
    GUARDS,
  ),
  // Accounts.
  noLock('identity.lock_active_account', ' for key share', SUB_USERS),
  // Buys.
  index('trading.item_one_live_purchase', GUARDS, BUY, STEP),
  {
    name: 'trading.trade: one for each external id (trade_replay)',
    kind: 'idempotency',
    statements: ['drop index trading.trade_replay'],
    edits: ['place_buy', 'place_quick_buy', 'open_sell'].map((name) => ({
      of: `trading.${name}`,
      from: 'on conflict (merchant_id, external_id, account_id) where external_id is not null do nothing',
      to: '',
    })),
    files: [BUY],
  },
  ...(
    [
      ['trading.place_buy', BUY],
      ['trading.place_quick_buy', QUICK_BUY],
      ['trading.open_sell', SELL],
    ] as const
  ).map(([of, file]) =>
    edit(
      'idempotency',
      `${of}: another request under a known external id is refused`,
      { of, from: 'first_hash <> request_hash_', to: 'false' },
      file,
      GUARDS,
    ),
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
    'trading.place_buy: listings are taken in the order of their ids',
    { of: 'trading.place_buy', from: 'wanted (id, mills) order by id', to: 'wanted (id, mills)' },
    BUY,
    GUARDS,
  ),
  noLock('catalog.take_cheapest', 'for update of l skip locked', QUICK_BUY, GUARDS),
  noLock('trading.move_item', 'for no key update', STEP, GUARDS),
  edit(
    'constraint',
    'trading.move_item: only steps of the table are taken',
    {
      of: 'trading.move_item',
      from: 'not exists (select from trading.transition where from_status = from_ and to_status = to_)',
      to: 'false',
    },
    STEP,
  ),
  edit(
    'idempotency',
    'trading.move_item: an item that was moved already is left alone',
    { of: 'trading.move_item', from: 'and i.status = from_', to: '' },
    STEP,
  ),
  noLock(
    'trading.cancel_unplaced',
    "perform from trading.item i where i.id = item_id_ and i.status = 'initiated' and i.work = 'place' for update;\n  if not found then return false; end if;",
    CANCEL,
  ),
  constraint('trading.item', 'item_refund_adds_up', GUARDS),
  constraint('trading.item', 'item_price_adds_up', GUARDS),
  constraint('trading.item', 'item_done_has_no_work', GUARDS),
  constraint('trading.supplier_order', 'supplier_order_pkey', GUARDS, ORDERS),
  constraint('trading.supplier_order', 'supplier_order_custom_id', GUARDS, ORDERS),
  {
    name: 'outbox.event: each event once (event_once)',
    kind: 'idempotency',
    statements: ['alter table outbox.event drop constraint event_once'],
    files: [GUARDS, STEP],
  },
  // Sells.
  index('selling.item_one_open_sell', SELL, GUARDS),
  constraint('selling.offer', 'offer_once', GUARDS, OFFERS),
  index('selling.stock_asset', GUARDS, OFFERS),
  constraint('selling.stock', 'stock_pkey', GUARDS, OFFERS),
  constraint('selling.item', 'item_paid_when_completed', GUARDS),
  constraint('selling.item', 'item_amounts', GUARDS),
  noLock('trading.lock_sell', 'for no key update', OFFERS, CRASH, GUARDS),
  noLock(
    'selling.assign',
    "perform pg_advisory_xact_lock(hashtextextended('selling.assign', 0));",
    SENDS,
    CRASH,
    GUARDS,
  ),
  edit(
    'constraint',
    'selling.move_items: only steps of the table are taken',
    {
      of: 'selling.move_items',
      from: 'not exists (select from selling.transition where from_status = from_ and to_status = to_)',
      to: 'false',
    },
    OFFERS,
    GUARDS,
  ),
  edit(
    'idempotency',
    'selling.move_items: items that were moved already are left alone',
    { of: 'selling.move_items', from: 'and i.status = from_', to: '' },
    OFFERS,
    GUARDS,
  ),
  // What operators and merchants are told.
  noLock(
    'reconciliation.report',
    "perform pg_advisory_xact_lock(hashtextextended('reconciliation.case:' || kind_ || ':' || subject_, 0));",
    GUARDS,
    CASES,
  ),
  index('reconciliation.case_file_one_open', GUARDS, CASES),
  constraint('webhooks.delivery', 'delivery_once', GUARDS),
]
