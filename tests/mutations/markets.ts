// What keeps the money at markets and what a restore has lost right, each guard taken away: see list.ts.
import { constraint, edit, type Mutation, noLock } from './mutation.ts'

const TRADING = 'apps/server/src/modules/trading'
const ACCOUNT = `${TRADING}/buying/account.db.test.ts`
const QUICK_BUY = `${TRADING}/buying/quick-buy.db.test.ts`
const REPLACE = `${TRADING}/buying/replace.db.test.ts`
const ACCOUNTS = `${TRADING}/buying/accounts.db.test.ts`
const FAIRNESS = `${TRADING}/buying/fairness.db.test.ts`
const COVER = `${TRADING}/catalog/cover.db.test.ts`
const LOST = `${TRADING}/reconciliation/lost-orders.db.test.ts`
const RESTORED = 'apps/server/src/operations/acts/restored.db.test.ts'
const GUARDS = 'tests/mutations/markets.db.test.ts'

export const MARKETS: readonly Mutation[] = [
  constraint('buying.market_account', 'market_account_named_once', GUARDS),
  constraint('buying.market_account', 'market_account_closed_for_a_reason', GUARDS),
  edit(
    'constraint',
    'catalog.take_cheapest: what the account does not cover is not sold',
    {
      of: 'catalog.take_cheapest',
      from: 'and l.price_mills <= coalesce(m.cover_mills, l.price_mills)',
      to: '',
    },
    COVER,
  ),
  edit(
    'constraint',
    'buying.spendable: what was bought since the balance was read is spent',
    {
      of: 'buying.spendable',
      from: 'and o.sent_at > a.balance_at',
      to: 'and false',
    },
    ACCOUNT,
  ),
  edit(
    'constraint',
    'buying.spendable: what is under way is spent',
    { of: 'buying.spendable', from: "o.state in ('placing', 'unknown')", to: 'false' },
    ACCOUNT,
  ),
  edit(
    'constraint',
    'buying.claim_placements: what the account does not cover is not claimed',
    {
      of: 'buying.claim_placements',
      from: 'i.created_at > placeable_since_\n        and i.sourcing_mills <= most_',
      to: 'i.created_at > placeable_since_',
    },
    ACCOUNT,
  ),
  edit(
    'constraint',
    'buying.begin_order: what the account does not cover is not ordered',
    { of: 'buying.begin_order', from: 'and i.sourcing_mills <= most_', to: '' },
    ACCOUNT,
  ),
  edit(
    'lock',
    'buying.begin_order: orders of one account begin one after the other',
    {
      of: 'buying.begin_order',
      from: 'and a.key_version = key_version_ for no key update',
      to: 'and a.key_version = key_version_',
    },
    GUARDS,
  ),
  edit(
    'constraint',
    'buying.begin_order: the key is the one that the turn was taken with',
    { of: 'buying.begin_order', from: 'and a.key_version = key_version_', to: '' },
    ACCOUNTS,
  ),
  edit(
    'constraint',
    'buying.crowded_markets: what joins a full queue has an end',
    {
      of: 'buying.crowded_markets',
      from: 'or 2 * s.own > 1.4 * q.placeable - s.of_others',
      to: '',
    },
    FAIRNESS,
  ),
  edit(
    'constraint',
    'buying.crowded_markets: shares weigh by tier',
    {
      of: 'buying.crowded_markets',
      from: 's.weight_of_others + buying.turn_weight(tenant_id_)',
      to: '1 + buying.turn_weight(tenant_id_)',
    },
    FAIRNESS,
  ),
  edit(
    'constraint',
    'buying.claim_placements: of one account what is sent at once goes first',
    {
      of: 'buying.claim_placements',
      from: 'order by i.by_hand, i.created_at, i.id',
      to: 'order by i.created_at, i.id',
    },
    FAIRNESS,
  ),
  edit(
    'lock',
    'buying.move_waiting: only what no worker has begun',
    { of: 'buying.move_waiting', from: "and i.work = 'place' for update", to: '' },
    ACCOUNT,
  ),
  edit(
    'constraint',
    'buying.move_waiting: only what the account does not cover',
    {
      of: 'buying.move_waiting',
      from: 'or item_.sourcing_mills <= buying.most_placeable(item_.market)',
      to: '',
    },
    ACCOUNT,
  ),
  edit(
    'constraint',
    'buying.swap_listing: after five listings an item fails',
    { of: 'buying.swap_listing', from: 'item_.attempt >= most_attempts', to: 'false' },
    REPLACE,
    QUICK_BUY,
  ),
  edit(
    'constraint',
    'buying.swap_listing: at another price the money is exact',
    { of: 'buying.swap_listing', from: 'price_ <> old_.price', to: 'false' },
    ACCOUNT,
  ),
  // What a restore has lost.
  edit(
    'idempotency',
    'buying.add_items: nothing is bought under an external id whose orders are lost',
    {
      of: 'buying.add_items',
      from: 'external_id_ is not null and buying.is_lost(tenant_id_, account_id_, external_id_)',
      to: 'false',
    },
    LOST,
  ),
  edit(
    'idempotency',
    'buying.adopt_order: an order is adopted once, and not after it was booked',
    { of: 'buying.adopt_order', from: 'and l.adopted_at is null and l.closed_at is null', to: '' },
    GUARDS,
  ),
  edit(
    'idempotency',
    'buying.note_restore: a restore is noted once',
    { of: 'buying.note_restore', from: 'if restore_id_ is null then', to: 'if true then' },
    LOST,
    GUARDS,
  ),
  noLock(
    'buying.note_restore',
    "perform pg_advisory_xact_lock(hashtextextended('buying.restore', 0));",
    GUARDS,
  ),
  constraint('buying.lost_order', 'lost_order_pkey', LOST),
  constraint('buying.lost_order', 'lost_order_adopted', GUARDS),
  constraint('buying.lost_order', 'lost_order_ends_once', GUARDS),
  constraint('operations.restore_loss', 'restore_loss_by_two', GUARDS),
  constraint('operations.restore_loss', 'restore_loss_is_signed', GUARDS),
  constraint('operations.restore_loss', 'restore_loss_posted', GUARDS),
  constraint('operations.restore_loss', 'restore_loss_pkey', RESTORED),
]
