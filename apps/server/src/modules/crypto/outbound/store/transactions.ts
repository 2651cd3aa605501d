// SQL of outbound transactions.
import { bool, columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type BaseUnits, baseUnits, type ChainName, type Hex, unitsOf } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { NewTransaction, Purpose, SigningForm, State } from '../transaction.ts'

export interface Transaction extends NewTransaction {
  readonly state: State
  readonly holdReason: string | null
  readonly wanted: Wanted | null
  readonly nonce: number | null
  readonly signing: SigningForm | null
  readonly acceptedAt: Date | null
  readonly minedHash: Hex | null
  readonly minedBlock: bigint | null
  /** Since when, and at which head, its newest attempt was sent and is in no block. */
  readonly silentSince: Silence | null
  readonly foreignSinceBlock: bigint | null
}

export interface Silence {
  readonly at: Date
  readonly block: bigint
}

export type Wanted = 'resend' | 'replacement' | 'filler'

type Read = Omit<Transaction, 'silentSince'> & {
  readonly silentSince: Date | null
  readonly silentSinceBlock: bigint | null
}

/** What the signer is asked for, as it is kept: amounts are texts. */
type SigningJson = Record<'gas' | 'maxFee' | 'priorityFee', string> & Pick<SigningForm, 'kind'>

export const TRANSACTION = columns<Read>('t.', {
  id: text,
  chain: text,
  keyRef: text,
  depositIndex: int,
  purpose: text,
  refId: text,
  token: text,
  tokenAddress: text,
  recipient: text,
  units: unitsOf,
  needsCapital: bool,
  state: text,
  holdReason: text,
  wanted: text,
  nonce: Number,
  signing: ({ kind, gas, maxFee, priorityFee }: SigningJson) => ({
    ...{ kind, gas: BigInt(gas) },
    ...{ maxFeePerGas: BigInt(maxFee), maxPriorityFeePerGas: BigInt(priorityFee) },
  }),
  acceptedAt: time,
  minedHash: text,
  minedBlock: BigInt,
  silentSince: time,
  silentSinceBlock: BigInt,
  foreignSinceBlock: BigInt,
}).to(
  ({ silentSince: at, silentSinceBlock: block, ...rest }): Transaction => ({
    ...rest,
    silentSince: at !== null && block !== null ? { at, block } : null,
  }),
)

const signingJson = (form: SigningForm): string =>
  JSON.stringify({
    kind: form.kind,
    gas: form.gas.toString(),
    maxFee: form.maxFeePerGas.toString(),
    priorityFee: form.maxPriorityFeePerGas.toString(),
  })

const INSERT = sql(
  'outbound.insert',
  `insert into outbound.transaction (id, chain, key_ref, deposit_index, purpose, ref_id, token, token_address, recipient,
     units, needs_capital, due_at, created_at)
   select i.*, $12, $12 from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::uuid[], $7::text[],
     $8::text[], $9::text[], $10::numeric[], $11::boolean[]) i
   on conflict (purpose, ref_id) do nothing`,
)

/** Queues transactions; one that is there for its purpose and reference is left as it is. */
export async function insertTransactions(
  tx: Tx,
  transactions: readonly NewTransaction[],
  at: Date,
): Promise<void> {
  if (transactions.length === 0) return
  const column = <T>(of: (transaction: NewTransaction) => T): T[] => transactions.map(of)
  await tx.query(INSERT, [
    column((one) => one.id),
    column((one) => one.chain),
    column((one) => one.keyRef),
    column((one) => one.depositIndex),
    column((one) => one.purpose),
    column((one) => one.refId),
    column((one) => one.token),
    column((one) => one.tokenAddress),
    column((one) => one.recipient),
    column((one) => one.units),
    column((one) => one.needsCapital),
    at,
  ])
}

const QUEUED = sql(
  'outbound.queued',
  `select ${TRANSACTION.list} from outbound.transaction t
   where t.chain = $1 and t.key_ref = $2 and t.state = 'queued' and t.due_at <= $3
   order by t.due_at, t.sequence limit $4`,
)
export const readQueued = (
  db: Queryable,
  wallet: { chain: ChainName; keyRef: KeyRef },
  { at, limit }: { at: Date; limit: number },
): Promise<Transaction[]> => TRANSACTION.all(db, QUEUED, [wallet.chain, wallet.keyRef, at, limit])

const OPEN = sql(
  'outbound.open',
  `select ${TRANSACTION.list} from outbound.transaction t
   where t.chain = $1 and t.key_ref = $2 and t.state in ('signing', 'signed', 'broadcast')
   order by t.nonce limit 2000`,
)
/** What has a nonce and is not finished, by nonce. */
export const readOpen = (
  db: Queryable,
  wallet: { chain: ChainName; keyRef: KeyRef },
): Promise<Transaction[]> => TRANSACTION.all(db, OPEN, [wallet.chain, wallet.keyRef])

const UNMINED_UNITS = sql(
  'outbound.unmined_units',
  `select t.token, sum(t.units) units,
     coalesce(sum((select max(a.gas * a.max_fee_per_gas) from outbound.attempt a where a.transaction_id = t.id)), 0) fees,
     count(*)::int count
   from outbound.transaction t
   where t.chain = $1 and t.key_ref = $2 and t.state in ('signing', 'signed', 'broadcast') and t.mined_hash is null
   group by t.token`,
)
/**
 * What a wallet has still to pay for what it signed: by token, and in wei for gas. The fee for the data of
 * each of its `count` transactions is not in it.
 */
export async function readCommitted(
  db: Queryable,
  wallet: { chain: ChainName; keyRef: KeyRef },
): Promise<{ units: Map<string, BaseUnits>; fees: bigint; count: number }> {
  const values = [wallet.chain, wallet.keyRef]
  const rows = await db.query<{ token: string; units: string; fees: string; count: number }>(
    UNMINED_UNITS,
    values,
  )
  return {
    units: new Map(rows.map(({ token, units }) => [token, baseUnits(BigInt(units))])),
    fees: rows.reduce((sum, { fees }) => sum + BigInt(fees), 0n),
    count: rows.reduce((sum, { count }) => sum + count, 0),
  }
}

const UNFINISHED_CAPITAL = sql(
  'outbound.unfinished_capital',
  `select token, sum(units) units from outbound.transaction
   where chain = $1 and key_ref = $2 and state in ('signing', 'signed', 'broadcast') and needs_capital group by token`,
)
/** What a wallet pays out of the service's own funds and the books in kind do not show yet, by token. */
export async function readUnfinishedCapital(
  db: Queryable,
  wallet: { chain: ChainName; keyRef: KeyRef },
): Promise<Map<string, bigint>> {
  const rows = await db.query<{ token: string; units: string }>(UNFINISHED_CAPITAL, [
    wallet.chain,
    wallet.keyRef,
  ])
  return new Map(rows.map(({ token, units }) => [token, BigInt(units)]))
}

const HOLD = sql(
  'outbound.hold',
  `update outbound.transaction set hold_reason = $2, due_at = $3 where id = any ($1::uuid[]) and state = 'queued'`,
)
/** A queued transaction waits until `dueAt`, for a reason. */
export async function holdTransactions(
  db: Queryable,
  ids: readonly string[],
  { reason, dueAt }: { reason: string; dueAt: Date },
): Promise<void> {
  if (ids.length > 0) await db.query(HOLD, [ids, reason, dueAt])
}

const LOCK_QUEUED = sql(
  'outbound.lock_queued',
  `select id from outbound.transaction where id = any ($1::uuid[]) and state = 'queued' for update`,
)
/** Those of them that are still queued, locked. */
export async function lockQueued(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(LOCK_QUEUED, [ids])
  return new Set(rows.map(({ id }) => id))
}

const RESERVE = sql(
  'outbound.reserve',
  `update outbound.transaction t set state = 'signing', nonce = i.nonce, signing = i.signing, signing_claim = $4,
     hold_reason = null
   from unnest($1::uuid[], $2::bigint[], $3::jsonb[]) i (id, nonce, signing)
   where t.id = i.id`,
)
/** Gives nonces to queued transactions that are locked. */
export async function reserveNonces(
  tx: Tx,
  reserved: readonly { id: string; nonce: number; signing: SigningForm }[],
  claim: string,
): Promise<void> {
  await tx.query(RESERVE, [
    reserved.map(({ id }) => id),
    reserved.map(({ nonce }) => nonce),
    reserved.map(({ signing }) => signingJson(signing)),
    claim,
  ])
}

const CLAIM = sql(
  'outbound.claim_signing',
  `update outbound.transaction set signing_claim = $2 where id = any ($1::uuid[]) and state = 'signing'`,
)
/** Takes over what another run left while it was signed: that run releases nothing any more. */
export async function claimSigning(
  db: Queryable,
  ids: readonly string[],
  claim: string,
): Promise<void> {
  await db.query(CLAIM, [ids, claim])
}

const LOCK_CLAIMED = sql(
  'outbound.lock_claimed',
  `select id from outbound.transaction where id = any ($1::uuid[]) and state = 'signing' and signing_claim = $2
   order by nonce for update`,
)
/** How many of them are still this run's, locked. */
export const lockClaimed = async (tx: Tx, ids: readonly string[], claim: string): Promise<number> =>
  (await tx.query(LOCK_CLAIMED, [ids, claim])).length

const RELEASE = sql(
  'outbound.release',
  `update outbound.transaction set state = 'queued', nonce = null, signing = null, signing_claim = null,
     hold_reason = r.reason, due_at = r.due_at
   from unnest($1::uuid[], $2::text[], $3::timestamptz[]) r (id, reason, due_at) where transaction.id = r.id`,
)
/** Back to the queue, without a nonce: certainly never signed, and locked as this run's. */
export async function releaseNonces(
  tx: Tx,
  released: readonly { id: string; reason: string | null; dueAt: Date }[],
): Promise<void> {
  await tx.query(RELEASE, [
    released.map(({ id }) => id),
    released.map(({ reason }) => reason),
    released.map(({ dueAt }) => dueAt),
  ])
}

const WANT_SIGNING = sql(
  'outbound.want_signing',
  `update outbound.transaction set signing = $2::jsonb where id = $1 and state = any ('{signing,signed,broadcast}')`,
)
/** What the signer is asked for next: written first, so that the same is asked for after a crash. */
export async function writeSigning(db: Queryable, id: string, form: SigningForm): Promise<void> {
  await db.query(WANT_SIGNING, [id, signingJson(form)])
}

const LOCK_ASKED_FOR = sql(
  'outbound.lock_asked_for',
  `select t.id from unnest($1::uuid[], $2::jsonb[]) i (id, signing)
     join outbound.transaction t on t.id = i.id and t.signing = i.signing
   order by t.nonce for update of t`,
)
/** Those whose form is still the one that the signer was asked for, locked: no other run has signed it. */
export async function lockAskedFor(
  tx: Tx,
  asked: readonly { readonly id: string; readonly form: SigningForm }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(LOCK_ASKED_FOR, [
    asked.map(({ id }) => id),
    asked.map(({ form }) => signingJson(form)),
  ])
  return new Set(rows.map(({ id }) => id))
}

const SIGNED = sql(
  'outbound.signed',
  `update outbound.transaction set state = case state when 'signing' then 'signed' else state end, signing = null,
     signing_claim = null, wanted = case wanted when 'resend' then wanted end, hold_reason = null,
     silent_since = null, silent_since_block = null
   where id = any ($1::uuid[])`,
)
export async function markSigned(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(SIGNED, [ids])
}

const ACCEPTED = sql(
  'outbound.accepted',
  `update outbound.transaction t set state = 'broadcast', accepted_at = $2
   where t.id = any ($1::uuid[]) and t.state = 'signed' returning t.id`,
)
/** A node has it: the ids of those that were not known to be accepted before. */
export async function markAccepted(tx: Tx, ids: readonly string[], at: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(ACCEPTED, [ids, at])
  return rows.map(({ id }) => id)
}

const WANT = sql(
  'outbound.want',
  `update outbound.transaction set wanted = $2 where id = any ($1::uuid[]) and state = any ('{signed,broadcast}')
   and wanted is distinct from 'filler'`,
)
export async function wantMore(
  db: Queryable,
  ids: readonly string[],
  wanted: Wanted | null,
): Promise<void> {
  if (ids.length > 0) await db.query(WANT, [ids, wanted])
}

const DONE = sql(
  'outbound.wanted_done',
  'update outbound.transaction set wanted = null where id = any ($1::uuid[]) and wanted = $2',
)
export async function wantedDone(
  db: Queryable,
  ids: readonly string[],
  wanted: Wanted,
): Promise<void> {
  if (ids.length > 0) await db.query(DONE, [ids, wanted])
}

const MINED = sql(
  'outbound.mined',
  `update outbound.transaction set mined_hash = $2, mined_block = $3, foreign_since_block = null,
     silent_since = null, silent_since_block = null
   where id = $1 and finished_at is null`,
)
/** Seen in a block, or (null) seen to have left it. */
export async function writeMined(
  db: Queryable,
  id: string,
  mined: { hash: Hex; block: bigint } | null,
): Promise<void> {
  await db.query(MINED, [id, mined?.hash ?? null, mined?.block ?? null])
}

const SILENT = sql(
  'outbound.silent',
  `update outbound.transaction set silent_since = $2, silent_since_block = $3
   where id = any ($1::uuid[]) and finished_at is null`,
)
/** Their newest attempts were sent, and from now on a block without them counts. */
export async function writeSilent(
  db: Queryable,
  ids: readonly string[],
  { at, block }: Silence,
): Promise<void> {
  if (ids.length > 0) await db.query(SILENT, [ids, at, block])
}

const FEE_CAP = sql(
  'outbound.note_fee_cap',
  `update outbound.transaction set hold_reason = 'fee_cap', wanted = case wanted when 'filler' then wanted else 'resend' end
   where id = $1 and state = any ('{signed,broadcast}')`,
)
/** Not replaced, because the fees would be too high: the same bytes are sent again. */
export async function noteFeeCap(db: Queryable, id: string): Promise<void> {
  await db.query(FEE_CAP, [id])
}

const FOREIGN = sql(
  'outbound.foreign',
  'update outbound.transaction set foreign_since_block = $2 where id = $1 and finished_at is null',
)
export async function writeForeign(db: Queryable, id: string, since: bigint | null): Promise<void> {
  await db.query(FOREIGN, [id, since])
}

const FINISH = sql(
  'outbound.finish',
  `update outbound.transaction set state = $2, finished_at = $3, fee_paid = $4, wanted = null
   where id = $1 and finished_at is null and ($2 <> 'canceled' or state = 'queued') returning id`,
)
/** True the first time. A transaction that was signed cannot be canceled. */
export async function finishTransaction(
  tx: Tx,
  id: string,
  { state, at, feePaid }: { state: State; at: Date; feePaid: bigint | null },
): Promise<boolean> {
  return (await tx.query(FINISH, [id, state, at, feePaid])).length > 0
}

const LOCK = sql(
  'outbound.lock',
  `select ${TRANSACTION.list} from outbound.transaction t where t.purpose = $1 and t.ref_id = $2 for update`,
)
export async function lockTransaction(
  tx: Tx,
  purpose: Purpose,
  refId: string,
): Promise<Transaction | null> {
  return TRANSACTION.first(tx, LOCK, [purpose, refId])
}

const BY_REFERENCES = sql(
  'outbound.by_references',
  `select ${TRANSACTION.list} from outbound.transaction t where t.purpose = $1 and t.ref_id = any ($2::uuid[])`,
)
export const readByReferences = (
  db: Queryable,
  purpose: Purpose,
  refIds: readonly string[],
): Promise<Transaction[]> => TRANSACTION.all(db, BY_REFERENCES, [purpose, refIds])
