// All SQL of the ledger's TypeScript side. Money moves through `ledger.post` alone (0001_ledger.sql).

import { columns, text } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { EntryType, Side } from './entry.ts'
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

const WALLET = columns<Wallet>('a.', {
  id: ['a.public_id', text],
  ownerId: text,
  kind: text,
  currency: text,
  balance: ['b.posted', cents],
})

const WALLETS = sql(
  'ledger.wallets',
  `select ${WALLET.list}
   from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = any ($1::uuid[]) and a.kind in ('spot', 'earnings')
   order by a.owner_id, a.kind desc`,
)

export const readWallets = (db: Queryable, ownerIds: readonly string[]): Promise<Wallet[]> =>
  WALLET.all(db, WALLETS, [ownerIds])

// Materialized, so that every balance is locked: the condition must not choose among them first.
const LOCK_OWNERS_WITH_MONEY = sql(
  'ledger.lock_owners_with_money',
  `with locked as materialized (
     select a.owner_id, b.posted from ledger.account a join ledger.balance b on b.account_id = a.id
     where a.owner_id = any ($1::uuid[]) order by b.account_id for no key update of b)
   select distinct owner_id id from locked where posted <> 0`,
)

/**
 * Which of these owners have a balance that is not zero, escrow and debts included; a debt of one is not
 * covered by another, nor by another currency. All balances stay locked until the transaction ends.
 */
export async function lockOwnersWithMoney(tx: Tx, ownerIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(LOCK_OWNERS_WITH_MONEY, [ownerIds])
  return rows.map(({ id }) => id)
}

/** An owner's account, or the one of a kind that belongs to the service. */
export type AccountRef =
  | { readonly ownerId: string; readonly kind: string }
  | { readonly house: string }

export interface Leg {
  readonly from: AccountRef
  readonly to: AccountRef
  readonly currency: Currency
  readonly amount: Cents
}

export interface Journal {
  /** A name in ledger.journal_kind. */
  readonly kind: string
  /** What the journal is about: a trade, an item, later a deposit. */
  readonly refId: string | null
  readonly scopeId: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly at: Date
  readonly legs: readonly Leg[]
  /** What the owner of a wallet is shown. */
  readonly externalRef: string | null
}

export interface Posted {
  readonly journalId: string
  readonly replayed: boolean
}

const POST = sql(
  'ledger.post',
  `select p.journal_id, p.replayed
   from (select array_agg(currency order by position) currencies, array_agg(amount order by position) amounts,
       array_agg(ledger.find_account(from_owner, from_kind, currency) order by position) debits,
       array_agg(ledger.find_account(to_owner, to_kind, currency) order by position) credits
     from unnest($8::ledger.currency[], $9::uuid[], $10::text[], $11::uuid[], $12::text[], $13::bigint[])
       with ordinality leg (currency, from_owner, from_kind, to_owner, to_kind, amount, position)) legs
   cross join lateral ledger.post($1, $2, $3, $4, $5, $6, legs.currencies, legs.debits, legs.credits, legs.amounts, $7) p`,
)

/**
 * Writes one journal with its postings: `ledger.post` for callers in TypeScript. A known key returns the
 * first journal; with another request hash it raises PT409. An overdraft violates `no_overdraft`.
 */
export async function post(tx: Tx, journal: Journal): Promise<Posted> {
  const { legs } = journal
  const ownerOf = (account: AccountRef): string | null =>
    'house' in account ? null : account.ownerId
  const kindOf = (account: AccountRef): string =>
    'house' in account ? account.house : account.kind
  const [row] = await tx.query<{ journal_id: string; replayed: boolean }>(POST, [
    journal.kind,
    journal.refId,
    journal.scopeId,
    journal.idempotencyKey,
    journal.requestHash,
    journal.at,
    journal.externalRef,
    legs.map(({ currency }) => currency),
    legs.map(({ from }) => ownerOf(from)),
    legs.map(({ from }) => kindOf(from)),
    legs.map(({ to }) => ownerOf(to)),
    legs.map(({ to }) => kindOf(to)),
    legs.map(({ amount }) => amount),
  ])
  const { journal_id, replayed } = assertDefined(row, 'journal')
  return { journalId: journal_id, replayed }
}

const LOCK_WALLETS = sql('ledger.lock_wallets', 'select ledger.lock_wallets($1)')
/** The spot wallets of owners, for a transaction that locks something else before it posts. */
export async function lockWallets(tx: Tx, ownerIds: readonly string[]): Promise<void> {
  await tx.query(LOCK_WALLETS, [ownerIds])
}

const EXCHANGE_BALANCES = sql(
  'ledger.exchange_balances',
  `select a.currency, b.posted from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id is null and a.kind = 'exchange'`,
)

/** What the exchange accounts hold, cents of each currency; negative: what the service is short of. */
export async function readExchange(db: Queryable): Promise<ReadonlyMap<Currency, Cents>> {
  const rows = await db.query<{ currency: Currency; posted: bigint }>(EXCHANGE_BALANCES)
  return new Map(rows.map(({ currency, posted }) => [currency, cents(posted)]))
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

/** Of the wallet of owner `$1` and kind `$2`: its account and the number of its chain's last row. */
const CHAIN = `select a.id, coalesce((select max(b.seq) from ledger.balance b where b.account_id = a.id), 0) last_seq
   from ledger.account a where a.owner_id = $1 and a.kind = $2`

const FIND_CHAIN = sql('ledger.find_chain', CHAIN)

/** Null for an owner without this wallet. */
export async function findChain(
  db: Queryable,
  owner: { ownerId: string; kind: WalletKind },
): Promise<{ accountId: bigint; lastSeq: bigint } | null> {
  const [row] = await db.query<{ id: bigint; last_seq: bigint }>(FIND_CHAIN, [
    owner.ownerId,
    owner.kind,
  ])
  return row ? { accountId: row.id, lastSeq: row.last_seq } : null
}

/** A part of an account's chain: from `fromSeq`, and before `beforeSeq`; as expressions of SQL. */
interface Part {
  readonly accountId: string
  readonly beforeSeq: string
  readonly fromSeq: string
}

// Each side walks its own unique index downwards from the cursor and stops after `limit` rows, so a page
// costs the same at any depth. seq is handed out under the balance's row lock: it is gapless and in
// commit order, so nothing ever appears behind a cursor.
const sideOfHistory = (side: Side, { accountId, beforeSeq, fromSeq }: Part): string => `
  (select p.journal_id, p.kind, '${side}' side, p.amount, p.created_at, p.external_ref, p.${side}_seq seq,
     p.currency, p.${side}_after "after", exists (select from ledger.journal r where r.reverses_id = p.journal_id) reversed
   from ledger.posting p
   where p.${side}_account_id = ${accountId} and p.${side}_seq < ${beforeSeq} and p.${side}_seq >= ${fromSeq}
     and ($4::text is null
       or p.kind = any (array(${kindsThatRead(side)} and k.name <> 'reversal'))
       or (p.kind = 'reversal' and exists (
         select from ledger.journal own join ledger.journal original on original.id = own.reverses_id
         where own.id = p.journal_id and original.kind = any (array(${kindsThatRead(opposite(side))})))))
     and ($5::boolean is null
       or exists (select from ledger.journal r where r.reverses_id = p.journal_id) = $5)
     and ($6::timestamptz is null or p.created_at >= $6)
     and ($7::timestamptz is null or p.created_at <= $7)
   order by p.${side}_seq desc limit $3)`

const opposite = (side: Side): Side => (side === 'debit' ? 'credit' : 'debit')

const kindsThatRead = (side: Side): string =>
  `select k.name from ledger.journal_kind k where k.${side}_entry = $4`

/**
 * The rows of a part, newest first: at most `$3`, of type `$4`, reversed or not `$5`, at or after `$6` and
 * at or before `$7`. A reversal reads as what it reverses: it is found by the same filter, and the two
 * cancel out.
 */
export const historyOf = (part: Part): string =>
  `select page.journal_id, page.amount, page.side, page.created_at, page.external_ref, page.reversed,
     page.currency, page."after", original.kind is not null "isReversal",
     case when (page.side = 'debit') = (original.kind is null) then k.debit_entry else k.credit_entry end "type",
     page.seq
   from (${sideOfHistory('debit', part)}
     union all ${sideOfHistory('credit', part)}
     order by seq desc limit $3) page
   left join ledger.journal own on page.kind = 'reversal' and own.id = page.journal_id
   left join ledger.journal original on original.id = own.reverses_id
   join ledger.journal_kind k on k.name = coalesce(original.kind, page.kind)
   order by page.seq desc`

// Below the row of the journal `$8`, or from the newest; `$9` rows are looked at, all without it. One row
// at least for a wallet that exists: it says where the page stands.
export const PAGE_OF_HISTORY = sql(
  'ledger.history',
  `with place as materialized (
     select chain.id, cursor.seq, bound.before_seq,
       case when bound.before_seq > $9::bigint then bound.before_seq - $9 else 1 end from_seq
     from (${CHAIN}) chain
     left join lateral (
       select case when p.debit_account_id = chain.id then p.debit_seq else p.credit_seq end seq
       from ledger.posting p
       where p.journal_id = $8 and chain.id in (p.debit_account_id, p.credit_account_id)
       order by seq limit 1) cursor on true
     cross join lateral (select coalesce(cursor.seq, chain.last_seq + 1) before_seq) bound)
   select place.id "accountId", place.seq "cursorSeq", place.from_seq "fromSeq", h.*
   from place left join (${historyOf({
     accountId: '(select id from place)',
     beforeSeq: '(select before_seq from place)',
     fromSeq: '(select from_seq from place)',
   })}) h on true
   order by h.seq desc`,
)

export interface HistoryRow {
  readonly journal_id: string
  readonly side: Side
  readonly amount: bigint
  readonly created_at: Date
  readonly external_ref: string | null
  readonly reversed: boolean
  readonly isReversal: boolean
  readonly type: EntryType
}

export interface HistoryQuery {
  readonly ownerId: string
  readonly kind: WalletKind
  readonly limit: number
  /** Null for every type. */
  readonly type: EntryType | null
  readonly reversed: boolean | null
  readonly from: Date | null
  readonly to: Date | null
  /** A journal; null for the newest rows. */
  readonly cursor: string | null
  /** So many rows are looked at; null for as many as it takes. */
  readonly look: bigint | null
}

export interface PageOfHistory {
  readonly accountId: bigint
  /** The cursor's own row; null when the wallet has none of it. */
  readonly cursorSeq: bigint | null
  /** Rows before this one were not looked at. */
  readonly fromSeq: bigint
  readonly rows: readonly HistoryRow[]
}

/** Null for an owner without this wallet. */
export async function readHistory(
  db: Queryable,
  query: HistoryQuery,
): Promise<PageOfHistory | null> {
  type Row = Omit<PageOfHistory, 'rows'> & (HistoryRow | { readonly journal_id: null })
  const rows = await db.query<Row>(PAGE_OF_HISTORY, historyValues(query))
  const [first] = rows
  if (first === undefined) return null
  const { accountId, cursorSeq, fromSeq } = first
  const found = rows.flatMap((row) => (row.journal_id === null ? [] : row))
  return { accountId, cursorSeq, fromSeq, rows: found }
}

export const historyValues = (query: HistoryQuery): unknown[] => [
  query.ownerId,
  query.kind,
  query.limit,
  query.type,
  query.reversed,
  query.from,
  query.to,
  query.cursor,
  query.look,
]

const JOURNAL_AT = sql(
  'ledger.journal_at',
  `select journal_id id from ledger.posting where debit_account_id = $1 and debit_seq = $2
   union all select journal_id from ledger.posting where credit_account_id = $1 and credit_seq = $2`,
)

/** The journal behind one row of an account's chain. */
export async function journalAt(db: Queryable, accountId: bigint, seq: bigint): Promise<string> {
  const [row] = await db.query<{ id: string }>(JOURNAL_AT, [accountId, seq])
  return assertDefined(row, 'a chain has no gaps').id
}

const POSTINGS_ABOUT = sql(
  'ledger.postings_about',
  `select j.id "journalId", j.kind, j.ref_id "refId", p.currency, p.amount, d.kind debit, c.kind credit,
     coalesce(case when d.kind = 'spot' then k.debit_entry else k.credit_entry end, j.kind) "entryType",
     p.created_at "createdAt"
   from ledger.journal j join ledger.posting p on p.journal_id = j.id
     join ledger.journal_kind k on k.name = j.kind
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
  /** As the spot wallet's ledger calls the row; the journal's kind where that ledger does not show it. */
  readonly entryType: string
  readonly createdAt: Date
}

/** All postings about these things: a trade and its items, for example. In the order of the books. */
export const listPostingsAbout = (
  db: Queryable,
  refIds: readonly string[],
): Promise<PostingAbout[]> => db.query<PostingAbout>(POSTINGS_ABOUT, [refIds])

const JOURNAL_REFS = sql(
  'ledger.journal_refs',
  `select j.id, coalesce(original.ref_id, j.ref_id) "refId",
     (select a.owner_id from ledger.posting p
        join ledger.account a on a.id in (p.debit_account_id, p.credit_account_id)
      where p.journal_id = j.id and a.owner_id <> $1 limit 1) "counterpartId"
   from ledger.journal j left join ledger.journal original on original.id = j.reverses_id
   where j.id = any ($2::uuid[])`,
)

export interface JournalRef {
  /** What the journal is about: a trade, one of its items, a deposit, a withdrawal. */
  readonly refId: string | null
  /** Who stands on the other side, also where money was converted; null: the service itself. */
  readonly counterpartId: string | null
}

/** What journals of an owner are about; a reversal is about what it reverses. */
export async function readJournalRefs(
  db: Queryable,
  ownerId: string,
  journalIds: readonly string[],
): Promise<ReadonlyMap<string, JournalRef>> {
  const rows = await db.query<JournalRef & { id: string }>(JOURNAL_REFS, [ownerId, journalIds])
  return new Map(rows.map(({ id, ...ref }) => [id, ref]))
}

const OWNERS_WITH_MONEY = sql(
  'ledger.owners_with_money',
  `select distinct a.owner_id id from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = any ($1::uuid[]) and b.posted <> 0`,
)

/** Which of these owners have a balance that is not zero. */
export async function findOwnersWithMoney(
  db: Queryable,
  ownerIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(OWNERS_WITH_MONEY, [ownerIds])
  return rows.map(({ id }) => id)
}
