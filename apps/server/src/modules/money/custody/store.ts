// All SQL of custody's TypeScript side. Units move through `custody.post` alone (0015_custody.sql).
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'
import { type BaseUnits, baseUnits, type ChainName, type TokenSymbol } from '#kernel/chain'

export type ServiceRole =
  | 'deposit_address'
  | 'treasury'
  | 'hot_wallet'
  | 'gas_station'
  | 'ledger_clearing'
  | 'capital'
  | 'fee_income'
  | 'network_fees'
  | 'unexplained'
export type OwnedRole = 'merchant' | 'in_flight' | 'unclaimed'
export type Role = ServiceRole | OwnedRole

/** An account of the service, or one that belongs to an owner. */
export type CustodyAccount = ServiceRole | { readonly role: OwnedRole; readonly ownerId: string }

export interface Posting {
  /** `<what>:<id of what>[:<part>]`; under a known key nothing is written. */
  readonly key: string
  /** Lower-case words joined by `_`: `deposit`, `sweep`, `withdrawal_settled`. */
  readonly reason: string
  /** What it is about: a transfer, a withdrawal, a transaction. */
  readonly refId: string | null
  readonly chain: ChainName
  readonly token: TokenSymbol
  readonly debit: CustodyAccount
  readonly credit: CustodyAccount
  /** More than zero. */
  readonly units: BaseUnits
}

const POST = sql(
  'custody.post',
  `select custody.post($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[],
     $9::uuid[], $10::numeric[], $11) written`,
)

/**
 * Writes postings; how many were new. A known key with the same accounts and units is left as it is, with
 * others it raises PT409. An overdraft of an owner's account violates `no_overdraft`.
 */
export async function post(tx: Tx, postings: readonly Posting[], at: Date): Promise<number> {
  if (postings.length === 0) return 0
  const column = <T>(of: (posting: Posting) => T): T[] => postings.map(of)
  const [row] = await tx.query<{ written: number }>(POST, [
    column(({ key }) => key),
    column(({ reason }) => reason),
    column(({ refId }) => refId),
    column(({ chain }) => chain),
    column(({ token }) => token),
    column(({ debit }) => roleOf(debit)),
    column(({ debit }) => ownerOf(debit)),
    column(({ credit }) => roleOf(credit)),
    column(({ credit }) => ownerOf(credit)),
    column(({ units }) => units),
    at,
  ])
  return row?.written ?? 0
}

const roleOf = (account: CustodyAccount): Role =>
  typeof account === 'string' ? account : account.role

const ownerOf = (account: CustodyAccount): string | null =>
  typeof account === 'string' ? null : account.ownerId

const POSTINGS_ABOUT = sql(
  'custody.postings_about',
  `select p.reason, d.chain, d.token, p.units, d.role debit, c.role credit, p.created_at "createdAt"
   from custody.posting p
     join custody.account d on d.id = p.debit_account_id join custody.account c on c.id = p.credit_account_id
   where p.ref_id = any ($1::uuid[]) order by p.id limit 2000`,
)

/** One posting, with the roles of its two accounts. */
export interface PostingInKind {
  readonly reason: string
  readonly chain: ChainName
  readonly token: TokenSymbol
  readonly units: BaseUnits
  readonly debit: Role
  readonly credit: Role
  readonly createdAt: Date
}

/** All postings about these things: a withdrawal, for example. In the order of the books. */
export async function listPostingsInKind(
  db: Queryable,
  refIds: readonly string[],
): Promise<PostingInKind[]> {
  const rows = await db.query<Omit<PostingInKind, 'units'> & { units: string }>(POSTINGS_ABOUT, [
    refIds,
  ])
  return rows.map((row) => ({ ...row, units: baseUnits(BigInt(row.units)) }))
}

const BALANCE = sql('custody.balance_of', 'select custody.balance_of($1, $2, $3, $4) units')

/** Base units on the account's normal side; 0 for an account that has no posting. */
export async function readBalance(
  db: Queryable,
  account: CustodyAccount,
  { chain, token }: { readonly chain: ChainName; readonly token: TokenSymbol },
): Promise<BaseUnits> {
  const values = [roleOf(account), ownerOf(account), chain, token]
  const [row] = await db.query<{ units: string }>(BALANCE, values)
  return baseUnits(BigInt(row?.units ?? 0))
}

export interface Balance {
  readonly role: Role
  readonly chain: ChainName
  readonly token: TokenSymbol
  /** Base units on the account's normal side. */
  readonly units: BaseUnits
}

interface BalanceRow {
  role: Role
  chain: string
  token: string
  units: string
}

const toBalance = (row: BalanceRow): Balance => ({ ...row, units: baseUnits(BigInt(row.units)) })

const BALANCES = sql(
  'custody.balances',
  'select role, chain, token, units from custody.balances($1)',
)

/** All accounts of an owner; without one, those of the service. */
export async function readBalances(db: Queryable, ownerId: string | null): Promise<Balance[]> {
  return (await db.query<BalanceRow>(BALANCES, [ownerId])).map(toBalance)
}

const LOCK_BALANCES = sql(
  'custody.lock_balances',
  'select chain, token, units from custody.lock_balances($1, $2::text[], $3::text[])',
)
/**
 * What an owner has on the role `merchant` of these chains and tokens, which no other transaction changes
 * until this one ends. What was never opened is left out.
 */
export async function lockBalances(
  tx: Tx,
  ownerId: string,
  pairs: readonly Pick<Balance, 'chain' | 'token'>[],
): Promise<Omit<Balance, 'role'>[]> {
  const rows = await tx.query<Omit<BalanceRow, 'role'>>(LOCK_BALANCES, [
    ownerId,
    pairs.map(({ chain }) => chain),
    pairs.map(({ token }) => token),
  ])
  return rows.map((row) => ({ ...row, units: baseUnits(BigInt(row.units)) }))
}

const OWNERS = sql(
  'custody.owners',
  `select distinct a.owner_id id from custody.account a join custody.balance b on b.account_id = a.id
   where a.owner_id = any ($1::uuid[]) and b.units <> 0 and a.role <> 'unclaimed'`,
)
/** Which of these accounts have something in custody. What was put aside is not theirs any more. */
export async function findOwnersInCustody(
  db: Queryable,
  ownerIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(OWNERS, [ownerIds])
  return rows.map(({ id }) => id)
}

const OWED = sql('custody.owed', 'select role, chain, token, units from custody.owed()')

/** What all owners together have, by role, chain and token. */
export async function readOwed(db: Queryable): Promise<Balance[]> {
  return (await db.query<BalanceRow>(OWED)).map(toBalance)
}

const OWN_FUNDS = sql('custody.own_funds', 'select token, units from custody.own_funds($1, $2)')

/**
 * What our addresses on a chain hold by the books, less what is owed to owners in kind: base units by token,
 * below zero where not even that is covered.
 */
export async function readOwnFunds(
  db: Queryable,
  chain: ChainName,
  tokens: readonly TokenSymbol[],
): Promise<Map<TokenSymbol, bigint>> {
  const rows = await db.query<{ token: TokenSymbol; units: string }>(OWN_FUNDS, [chain, tokens])
  return new Map(rows.map(({ token, units }) => [token, BigInt(units)]))
}

const AUDIT = sql('custody.audit', 'select invariant, detail from custody.audit()')

/** A row for each broken promise of the books in kind, by the sums of all postings: for small books. */
export const auditCustody = (db: Queryable): Promise<Violation[]> => db.query<Violation>(AUDIT)
