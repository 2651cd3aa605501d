// All SQL of the ledger's TypeScript side. Money moves through `ledger.post` alone (0001_ledger.sql).

import { type Queryable, sql, type Tx } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { JournalKind, Side } from './entry.ts'
import type { Wallet, WalletKind } from './wallet.ts'

const OPEN_ACCOUNT = sql(
  'ledger.open_account',
  'select ledger.open_account($1, kind, $3::ledger.currency) from unnest($2::text[]) kind',
)

export async function openAccounts(
  tx: Tx,
  ownerId: string,
  kinds: readonly (WalletKind | 'escrow')[],
  currency: Currency,
): Promise<void> {
  await tx.query(OPEN_ACCOUNT, [ownerId, kinds, currency])
}

interface WalletRow {
  public_id: string
  owner_id: string
  kind: WalletKind
  currency: Currency
  posted: bigint
}

const WALLETS = sql(
  'ledger.wallets',
  `select a.public_id, a.owner_id, a.kind, a.currency, b.posted
   from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = any ($1::uuid[]) and a.kind in ('spot', 'earnings')
   order by a.owner_id, a.kind desc`,
)

export async function readWallets(db: Queryable, ownerIds: readonly string[]): Promise<Wallet[]> {
  const rows = await db.query<WalletRow>(WALLETS, [ownerIds])
  return rows.map((row) => ({
    id: row.public_id,
    ownerId: row.owner_id,
    kind: row.kind,
    currency: row.currency,
    balance: cents(row.posted),
  }))
}

const LOCKED_SUM = sql(
  'ledger.lock_and_sum',
  `select coalesce(sum(posted), 0)::bigint sum from (
     select b.posted from ledger.balance b
     where b.account_id in (select id from ledger.account where owner_id = $1)
     order by b.account_id for no key update of b) locked`,
)

/** Everything an owner has, escrow included, while nobody else can move it. */
export async function lockAndSum(tx: Tx, ownerId: string): Promise<Cents> {
  const [row] = await tx.query<{ sum: bigint }>(LOCKED_SUM, [ownerId])
  return cents(assertDefined(row, 'sum of balances').sum)
}

export interface Party {
  readonly ownerId: string
  readonly kind: WalletKind
  readonly currency: Currency
  readonly amount: Cents
}

export interface Posting {
  readonly kind: JournalKind
  readonly scopeId: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly at: Date
  readonly from: Party
  readonly to: Party
  readonly externalRef: string | null
}

export interface Posted {
  readonly journalId: string
  readonly replayed: boolean
}

const PARAMETERS = '$1, null, $2, $3, $4, $5'

const TRANSFER = sql(
  'ledger.transfer',
  `select journal_id, replayed from ledger.post(${PARAMETERS}, array[$6::ledger.currency],
     array[ledger.account_of($7, $8)], array[ledger.account_of($9, $10)], array[$11::bigint], $12)`,
)

const EXCHANGE = sql(
  'ledger.exchange',
  `select journal_id, replayed from ledger.post(${PARAMETERS}, array[$6, $11]::ledger.currency[],
     array[ledger.account_of($7, $8), ledger.house('exchange', $11::ledger.currency)],
     array[ledger.house('exchange', $6::ledger.currency), ledger.account_of($9, $10)],
     array[$12, $13]::bigint[], $14)`,
)

/** One journal from a wallet to a wallet: one leg, or two over the exchange accounts. */
export async function postTransfer(tx: Tx, posting: Posting): Promise<Posted> {
  const { from, to } = posting
  const head = [
    posting.kind,
    posting.scopeId,
    posting.idempotencyKey,
    posting.requestHash,
    posting.at,
  ]
  const parties = [from.currency, from.ownerId, from.kind, to.ownerId, to.kind]
  const [row] =
    from.currency === to.currency
      ? await tx.query<PostedRow>(TRANSFER, [...head, ...parties, from.amount, posting.externalRef])
      : await tx.query<PostedRow>(EXCHANGE, [
          ...head,
          ...parties,
          to.currency,
          from.amount,
          to.amount,
          posting.externalRef,
        ])
  const { journal_id, replayed } = assertDefined(row, 'journal')
  return { journalId: journal_id, replayed }
}

interface PostedRow {
  journal_id: string
  replayed: boolean
}

const DEMO_DEPOSIT = sql(
  'ledger.demo_deposit',
  `select journal_id, replayed from ledger.post('deposit', null, $1, 'demo-deposit', $2, $3,
     array[$4::ledger.currency], array[ledger.house('clearing_demo', $4::ledger.currency)],
     array[ledger.account_of($1, 'spot')], array[$5::bigint], 'demo')`,
)

export async function postDemoDeposit(
  tx: Tx,
  deposit: {
    ownerId: string
    currency: Currency
    amount: Cents
    requestHash: Buffer
    at: Date
  },
): Promise<Posted> {
  const [row] = await tx.query<PostedRow>(DEMO_DEPOSIT, [
    deposit.ownerId,
    deposit.requestHash,
    deposit.at,
    deposit.currency,
    deposit.amount,
  ])
  const { journal_id, replayed } = assertDefined(row, 'journal')
  return { journalId: journal_id, replayed }
}

const FIND_JOURNAL = sql(
  'ledger.find_journal',
  'select id, request_hash from ledger.journal where scope_id = $1 and idempotency_key = $2',
)

export async function findJournal(
  db: Queryable,
  scopeId: string,
  idempotencyKey: string,
): Promise<{ id: string; requestHash: Buffer } | null> {
  const [row] = await db.query<{ id: string; request_hash: Buffer }>(FIND_JOURNAL, [
    scopeId,
    idempotencyKey,
  ])
  return row ? { id: row.id, requestHash: row.request_hash } : null
}

// ---------------------------------------------------------------- history

const LOCATE = sql(
  'ledger.locate',
  `select a.id,
     (select min(case when p.debit_account_id = a.id then p.debit_seq else p.credit_seq end)
      from ledger.posting p
      where p.journal_id = $3 and a.id in (p.debit_account_id, p.credit_account_id)) seq
   from ledger.account a where a.owner_id = $1 and a.kind = $2`,
)

/** The wallet's account, and where in its chain the journal of the cursor stands (null: nowhere). */
export async function locate(
  db: Queryable,
  owner: { ownerId: string; kind: WalletKind },
  cursor: string | null,
): Promise<{ accountId: bigint; seq: bigint | null } | null> {
  const [row] = await db.query<{ id: bigint; seq: bigint | null }>(LOCATE, [
    owner.ownerId,
    owner.kind,
    cursor,
  ])
  return row ? { accountId: row.id, seq: row.seq } : null
}

// Each side walks its own unique index downwards from the cursor and stops after `limit` rows, so a page
// costs the same at any depth. seq is handed out under the balance's row lock: it is gapless and in
// commit order, so nothing ever appears behind a cursor.
const sideOfHistory = (side: Side): string => `
  (select p.journal_id, p.kind, '${side}' side, p.amount, p.created_at, p.external_ref, p.${side}_seq seq,
     exists (select from ledger.journal r where r.reverses_id = p.journal_id) reversed
   from ledger.posting p
   where p.${side}_account_id = $1 and p.${side}_seq < $2
     and ($4::text[] is null or p.kind = any (${side === 'debit' ? '$4' : '$5'}::text[])
       or (p.kind = 'reversal' and exists (
         select from ledger.journal own join ledger.journal original on original.id = own.reverses_id
         where own.id = p.journal_id and original.kind = any (${side === 'debit' ? '$6' : '$7'}::text[]))))
     and ($8::boolean is null
       or exists (select from ledger.journal r where r.reverses_id = p.journal_id) = $8)
     and ($9::timestamptz is null or p.created_at >= $9)
     and ($10::timestamptz is null or p.created_at <= $10)
   order by p.${side}_seq desc limit $3)`

export const HISTORY = sql(
  'ledger.history',
  `select page.*, original.kind original_kind
   from (${sideOfHistory('debit')}
     union all ${sideOfHistory('credit')}
     order by seq desc limit $3) page
   left join ledger.journal own on page.kind = 'reversal' and own.id = page.journal_id
   left join ledger.journal original on original.id = own.reverses_id
   order by page.seq desc`,
)

export interface HistoryRow {
  readonly journal_id: string
  readonly kind: JournalKind
  readonly side: Side
  readonly amount: bigint
  readonly created_at: Date
  readonly external_ref: string | null
  readonly reversed: boolean
  readonly original_kind: JournalKind | null
}

export interface HistoryQuestion {
  readonly accountId: bigint
  readonly beforeSeq: bigint
  readonly limit: number
  /** Kinds shown and reversals shown, by side; null for every type. */
  readonly types: Readonly<
    Record<Side, { readonly kinds: readonly string[]; readonly reversing: readonly string[] }>
  > | null
  readonly reversed: boolean | null
  readonly from: Date | null
  readonly to: Date | null
}

export const readHistory = (db: Queryable, question: HistoryQuestion): Promise<HistoryRow[]> =>
  db.query<HistoryRow>(HISTORY, historyValues(question))

export const historyValues = ({ types, ...question }: HistoryQuestion): unknown[] => [
  question.accountId,
  question.beforeSeq,
  question.limit,
  types?.debit.kinds ?? null,
  types?.credit.kinds ?? null,
  types?.debit.reversing ?? null,
  types?.credit.reversing ?? null,
  question.reversed,
  question.from,
  question.to,
]

// ---------------------------------------------------------------- audit

export interface Violation {
  readonly invariant: string
  readonly detail: string
}

const AUDIT = sql('ledger.audit', 'select invariant, detail from ledger.audit()')

export const auditEverything = (db: Queryable): Promise<Violation[]> => db.query<Violation>(AUDIT)

const LAST_POSTING = sql(
  'ledger.last_posting',
  'select coalesce(max(id), 0)::bigint id from ledger.posting',
)

export async function lastPostingId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(LAST_POSTING)
  return assertDefined(row, 'last posting').id
}

// The promises of ledger.audit() as far as the newest postings can have broken them. One statement is
// one snapshot, so traffic does not look like a fault.
const AUDIT_SINCE = sql(
  'ledger.audit_since',
  `with leg as materialized (
     select id, debit_account_id account_id, debit_seq seq, debit_after after, -amount change, currency
       from ledger.posting where id > $1
     union all
     select id, credit_account_id, credit_seq, credit_after, amount, currency
       from ledger.posting where id > $1),
   touched as (select account_id, max(seq) seq from leg where account_id > 0 group by 1)
   select 'an account''s postings form a gapless chain' invariant,
       format('account %s at seq %s', leg.account_id, leg.seq) detail
     from leg
     left join lateral (
       (select p.debit_after after from ledger.posting p
          where p.debit_account_id = leg.account_id and p.debit_seq = leg.seq - 1)
       union all
       (select p.credit_after from ledger.posting p
          where p.credit_account_id = leg.account_id and p.credit_seq = leg.seq - 1)) previous on true
     where leg.account_id > 0
       and leg.after is distinct from case when leg.seq = 1 then leg.change else previous.after + leg.change end
   union all
   select 'balance is the sum of its postings',
       format('account %s: %s posted, %s in the chain, seq %s of %s', b.account_id, b.posted, l.after, b.seq, l.seq)
     from touched join leg l using (account_id, seq)
     join ledger.balance b on b.account_id = touched.account_id
     where b.posted <> l.after or b.seq <> l.seq
   union all
   select 'no balance below its floor', format('account %s: %s', b.account_id, b.posted)
     from touched join ledger.balance b using (account_id) where b.posted < b.floor
   union all
   select 'a posting names accounts of its currency', leg.id::text
     from leg left join ledger.account a on a.id = leg.account_id
     where a.currency is distinct from leg.currency`,
)

export const auditSince = (db: Queryable, postingId: bigint): Promise<Violation[]> =>
  db.query<Violation>(AUDIT_SINCE, [postingId])

const POSTINGS_ABOUT = sql(
  'ledger.postings_about',
  `select j.id "journalId", j.kind, j.ref_id "refId", p.currency, p.amount, d.kind debit, c.kind credit,
     p.created_at "createdAt"
   from ledger.journal j join ledger.posting p on p.journal_id = j.id
     join ledger.account d on d.id = p.debit_account_id join ledger.account c on c.id = p.credit_account_id
   where j.ref_id = any ($1::uuid[]) order by p.id limit 2000`,
)

/** One posting, with what its two accounts are. */
export interface PostingAbout {
  readonly journalId: string
  readonly kind: string
  readonly refId: string
  readonly currency: Currency
  readonly amount: bigint
  readonly debit: string
  readonly credit: string
  readonly createdAt: Date
}

/** All postings about these things: a trade and its items, for example. In the order of the books. */
export const listPostingsAbout = (
  db: Queryable,
  refIds: readonly string[],
): Promise<PostingAbout[]> => db.query<PostingAbout>(POSTINGS_ABOUT, [refIds])
