// The guards of money in and out: deposits, custody, outbound transactions and withdrawals.
import { constraint, edit, type Mutation, noLock, trigger } from './mutation.ts'

const DEPOSITS = 'apps/server/src/modules/crypto/deposits/deposits.db.test.ts'
const DEBTS = 'apps/server/src/modules/crypto/deposits/debts.db.test.ts'
const HELD = 'apps/server/src/modules/crypto/deposits/held.db.test.ts'
const UNANSWERED = 'apps/server/src/modules/crypto/deposits/unanswered.db.test.ts'
const TRANSFERS = 'apps/server/src/modules/crypto/deposits/transfer.db.test.ts'
const CUSTODY = 'apps/server/src/modules/money/custody/custody.db.test.ts'
const OUTBOUND = 'apps/server/src/modules/crypto/outbound/guards.db.test.ts'
const CHAINS_AUDIT = 'apps/server/src/modules/crypto/chains/audit.db.test.ts'
const BOOKS_AUDIT = 'apps/server/src/edges/jobs/audit-books.db.test.ts'
const APPROVALS = 'tests/chains/payouts/approve.db.test.ts'
const BATCHES = 'apps/server/src/modules/crypto/payouts/batch.db.test.ts'
const GUARDS = 'tests/mutations/guards.db.test.ts'
const CLOSED = 'apps/server/src/operations/acts/closed-accounts.db.test.ts'

export const MONEY: readonly Mutation[] = [
  // Deposits.
  edit(
    'constraint',
    'deposits.place_orders: no deposit is listed below a closed account',
    {
      of: 'deposits.place_orders',
      from: "where o.status = 'deleted' limit 1",
      to: 'where false limit 1',
    },
    CLOSED,
  ),
  constraint('deposits.credit', 'credit_once', DEPOSITS),
  constraint('deposits.reversal', 'reversal_once', DEPOSITS),
  constraint('deposits.deposit', 'deposit_quote_once', DEPOSITS),
  constraint('deposits.deposit', 'deposit_transfer_once', TRANSFERS),
  constraint('deposits.deposit', 'deposit_reverses_at_most_its_credit', DEPOSITS),
  trigger('ledger.posting', 'repay_debts', DEBTS),
  edit(
    'constraint',
    'deposits.recover_debts: only what is owed for longer than a day',
    { of: 'deposits.recover_debts', from: 'd.created_at < before_', to: 'true' },
    DEBTS,
  ),
  trigger('deposits.credit', 'credit_append_only', DEPOSITS),
  trigger('deposits.reversal', 'reversal_append_only', DEPOSITS),
  constraint('deposits.deposit', 'deposit_amounts_not_negative', HELD),
  constraint('deposits.deposit', 'deposit_seen_not_negative', HELD),
  constraint('deposits.deposit', 'deposit_has_its_source', HELD),
  constraint('deposits.provider_order', 'provider_order_once', HELD),
  constraint('deposits.credit', 'credit_is_posted', HELD),
  constraint('deposits.reversal', 'reversal_is_posted', HELD),
  constraint('deposits.held_payment', 'held_payment_release_has_value', HELD),
  constraint('deposits.held_payment', 'held_payment_decided_for_a_reason', HELD),
  edit(
    'constraint',
    'deposits.take_credits: one that is held back needs a release at its value',
    {
      of: 'deposits.take_credits',
      from: "(h.state, h.value_usd) is distinct from ('released', t.value_usd)",
      to: 'false',
    },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.take_credits: a payment belongs to one deposit',
    { of: 'deposits.take_credits', from: 'k.deposit_id <> c.deposit_id', to: 'false' },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.check_steps: only the steps of the table',
    {
      of: 'deposits.check_steps',
      from: 't.from_status = s.from_status and t.to_status = s.to_status',
      to: 'true',
    },
    DEPOSITS,
  ),
  edit(
    'constraint',
    'deposits.apply_reads: only upon the row that was decided about',
    { of: 'deposits.apply_reads', from: 'd."version" = r."version"', to: 'true' },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.claim_orders: an order is looked at by one worker at a time',
    {
      of: 'deposits.claim_orders',
      from: '(q.leased_until is null or q.leased_until <= at_)',
      to: 'true',
    },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.make_due: a notice ends the lease of a look',
    {
      of: 'deposits.make_due',
      from: 'set due_at = at_, leased_until = null',
      to: 'set due_at = at_',
    },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.place_orders: a look that was asked for meanwhile stays',
    {
      of: 'deposits.place_orders',
      from: 'case when o.due_at = p.first_look_at then p.look_at else o.due_at end',
      to: 'p.look_at',
    },
    HELD,
  ),
  edit(
    'constraint',
    'deposits.apply_reads: what money has reached is listed',
    {
      of: 'deposits.apply_reads',
      from: "(r.is_payment_seen or r.to_status in ('pending', 'partial', 'completed'))",
      to: 'false',
    },
    UNANSWERED,
  ),
  // Custody, outbound transactions and withdrawals.
  constraint('custody.balance', 'no_overdraft', CUSTODY),
  trigger('custody.posting', 'posting_append_only', CUSTODY),
  trigger('custody.balance', 'balance_guard', CUSTODY),
  trigger('custody.closing', 'closing_apply', CUSTODY),
  trigger('custody.closing', 'closing_append_only', CUSTODY),
  noLock('custody.closing_apply', 'lock table custody.posting in share mode;', CUSTODY),
  constraint('outbound.transaction', 'transaction_once', OUTBOUND),
  constraint('outbound.transaction', 'transaction_nonce_once', OUTBOUND),
  constraint('outbound.attempt', 'attempt_hash_once', OUTBOUND),
  constraint('outbound.attempt', 'attempt_numbered', OUTBOUND),
  constraint('outbound.final_watch', 'final_watch_settled_when_displaced', OUTBOUND),
  trigger('outbound.transaction', 'transaction_guard', OUTBOUND),
  trigger('outbound.transaction', 'transaction_kept', OUTBOUND),
  trigger('outbound.attempt', 'attempt_guard', OUTBOUND),
  trigger('outbound.attempt', 'attempt_kept', OUTBOUND),
  constraint('payouts.merchant', 'merchant_previous_secret_ends', GUARDS),
  constraint('payouts.withdrawal', 'withdrawal_once', OUTBOUND),
  constraint('payouts.withdrawal', 'withdrawal_refunded_for_a_reason', OUTBOUND),
  trigger('payouts.withdrawal', 'withdrawal_guard', OUTBOUND),
  trigger('payouts.withdrawal', 'withdrawal_kept', OUTBOUND),
  trigger('payouts.withdrawal', 'approved_on_insert', OUTBOUND),
  trigger('payouts.withdrawal', 'approved_on_update', OUTBOUND),
  noLock('payouts.lock_and_sum_approved', 'perform from payouts.limiter for update;', OUTBOUND),
  constraint('payouts.batch', 'batch_once', BATCHES),
  constraint('payouts.batch_withdrawal', 'batch_withdrawal_once', BATCHES),
  trigger('payouts.batch', 'batch_append_only', BATCHES),
  trigger('payouts.batch_withdrawal', 'batch_withdrawal_append_only', BATCHES),
  edit(
    'constraint',
    'payouts.claim_approvals: five of a merchant are under way at once',
    {
      of: 'payouts.claim_approvals',
      from: 'at_once constant integer := 5;',
      to: 'at_once constant integer := 100;',
    },
    BATCHES,
  ),
  edit(
    'constraint',
    'payouts.claim_approvals: no more than merchants of one kind may hold together',
    {
      of: 'payouts.claim_approvals',
      from: 'fair.room is null or fair.nth_of_class <= fair.room',
      to: 'true',
    },
    APPROVALS,
  ),
  edit(
    'constraint',
    'payouts.audit_withdrawals: a withdrawal ends as its transaction does',
    {
      of: 'payouts.audit_withdrawals',
      from: "w.status = 'refunded' and s.state in ('signing', 'signed', 'broadcast', 'confirmed', 'queued')",
      to: 'false',
    },
    BOOKS_AUDIT,
  ),
  edit(
    'constraint',
    'payouts.audit_withdrawals: the transaction of what an operator recorded as paid is given up',
    {
      of: 'payouts.audit_withdrawals',
      from: "w.nonce is null and coalesce(s.state, 'canceled') <> 'canceled'",
      to: 'false',
    },
    BOOKS_AUDIT,
  ),
  edit(
    'constraint',
    'payouts.audit_withdrawals: nothing is in flight without an open withdrawal',
    { of: 'payouts.audit_withdrawals', from: 'f.units <> 0', to: 'false' },
    BOOKS_AUDIT,
  ),
  edit(
    'constraint',
    'payouts.audit_deposits: what arrived for a deleted merchant is put aside, and nothing else is',
    {
      of: 'payouts.audit_deposits',
      from: "case when d.is_unclaimed then 'unclaimed' else 'merchant' end",
      to: "custody.credited_role('transfer:' || d.id)",
    },
    BOOKS_AUDIT,
  ),
  edit(
    'constraint',
    'payouts.audit_deposits: what was put aside has no event',
    {
      of: 'payouts.audit_deposits',
      from: "outbox.has_event('payout.crypto.deposit.completed', d.id) = d.is_unclaimed",
      to: "not d.is_unclaimed and not outbox.has_event('payout.crypto.deposit.completed', d.id)",
    },
    BOOKS_AUDIT,
  ),
  edit(
    'constraint',
    'outbound.audit: the nonces of a wallet are contiguous',
    { of: 'outbound.audit', from: 's.nonce <= t.nonce', to: 's.nonce < t.nonce' },
    OUTBOUND,
  ),
  edit(
    'constraint',
    'chains.audit_sweeps: a sweep moves no more than its transfers brought',
    { of: 'chains.audit_sweeps', from: 's.id <= up_to_', to: 's.id < up_to_' },
    CHAINS_AUDIT,
  ),
]
