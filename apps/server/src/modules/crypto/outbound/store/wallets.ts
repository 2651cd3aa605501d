// SQL of wallets.
import { columns, json, text } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { DueQuestion } from '#infra/jobs/due-watch'
import type { Address, ChainName, Hex } from '#kernel/chain'
import type { WaitingRow } from '#kernel/waiting'
import type { KeyRef } from '../ports.ts'
import type { Purpose } from '../transaction.ts'

export interface Wallet {
  readonly chain: ChainName
  readonly keyRef: KeyRef
  readonly address: Address
  readonly nextNonce: number
  readonly state: 'open' | 'halted' | 'reopening'
  readonly haltedReason: string | null
  /** Named by an operator: they took nonces of ours. Lower case. */
  readonly foreignHashes: readonly Hex[]
}

const WALLET = columns<Wallet>('', {
  chain: text,
  keyRef: text,
  address: text,
  nextNonce: Number,
  state: text,
  haltedReason: text,
  foreignHashes: json,
})

/** One probe of an index for each chain, however many transactions wait. */
const chainsWhere = (...conditions: readonly string[]): string =>
  `select w.chain from (select distinct chain from outbound.wallet) w
   where ${conditions.map((text) => `exists (select from ${text})`).join(' or ')}`
const OF_CHAIN = 'outbound.transaction t where t.chain = w.chain'
const WORK = [
  `${OF_CHAIN} and t.state in ('signing', 'signed', 'broadcast')`,
  `${OF_CHAIN} and t.state = 'queued' and t.due_at <= $1`,
]

/** By chain: transactions that are to be signed, sent or followed. */
export const TRANSACTIONS_DUE: DueQuestion = {
  name: 'outbound.transactions',
  text: chainsWhere(...WORK),
}

/** By chain: these, and final ones that may have left their chain. */
export const TRANSACTIONS_WATCHED: DueQuestion = {
  name: 'outbound.watched',
  text: chainsWhere(
    ...WORK,
    `outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
       where f.displaced_at is null and t.chain = w.chain`,
  ),
}

const AT_WORK = sql(
  'outbound.keys_at_work',
  `select distinct key_ref from outbound.transaction
   where chain = $1 and (state in ('signing', 'signed', 'broadcast') or (state = 'queued' and due_at <= $2)) limit 1000`,
)
/** The keys of a chain that have something to sign, send or follow. */
export async function readKeysAtWork(db: Queryable, chain: ChainName, at: Date): Promise<KeyRef[]> {
  const rows = await db.query<{ key_ref: KeyRef }>(AT_WORK, [chain, at])
  return rows.map(({ key_ref }) => key_ref)
}

const FIND = sql(
  'outbound.find_wallet',
  `select ${WALLET.list} from outbound.wallet where chain = $1 and key_ref = $2`,
)
export async function findWallet(
  db: Queryable,
  chain: ChainName,
  keyRef: KeyRef,
): Promise<Wallet | null> {
  return WALLET.first(db, FIND, [chain, keyRef])
}

const LOCK = sql(
  'outbound.lock_wallet',
  `select ${WALLET.list} from outbound.wallet where chain = $1 and key_ref = $2 for update`,
)
export async function lockWallet(tx: Tx, chain: ChainName, keyRef: KeyRef): Promise<Wallet | null> {
  return WALLET.first(tx, LOCK, [chain, keyRef])
}

const INSERT = sql(
  'outbound.insert_wallet',
  `insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at) values ($1, $2, $3, $4, $5)
   on conflict (chain, key_ref) do nothing`,
)
export async function insertWallet(
  db: Queryable,
  wallet: Pick<Wallet, 'chain' | 'keyRef' | 'address' | 'nextNonce'>,
  at: Date,
): Promise<void> {
  await db.query(INSERT, [wallet.chain, wallet.keyRef, wallet.address, wallet.nextNonce, at])
}

const NEXT = sql(
  'outbound.set_next_nonce',
  'update outbound.wallet set next_nonce = $3 where chain = $1 and key_ref = $2',
)
export async function setNextNonce(
  tx: Tx,
  wallet: { chain: ChainName; keyRef: KeyRef },
  nonce: number,
): Promise<void> {
  await tx.query(NEXT, [wallet.chain, wallet.keyRef, nonce])
}

const SET_STATE = sql(
  'outbound.set_wallet_state',
  `update outbound.wallet set state = $3, halted_reason = $4, changed_at = $5, foreign_hashes = $7
   where chain = $1 and key_ref = $2 and state = any ($6::text[]) returning ${WALLET.list}`,
)
/** The wallet as it is now, or null when it was in none of the states `from`. */
export async function setWalletState(
  db: Queryable,
  wallet: { chain: ChainName; keyRef: KeyRef },
  change: {
    readonly from: readonly Wallet['state'][]
    readonly to: Wallet['state']
    readonly reason: string | null
    readonly foreignHashes?: readonly Hex[]
    readonly at: Date
  },
): Promise<Wallet | null> {
  return WALLET.first(db, SET_STATE, [
    wallet.chain,
    wallet.keyRef,
    change.to,
    change.reason,
    change.at,
    change.from,
    change.foreignHashes ?? [],
  ])
}

const SKIP = sql(
  'outbound.skip_nonces',
  `insert into outbound.skipped_nonce (chain, key_ref, nonce, at)
   select $1, $2, n, $5 from generate_series($3::bigint, $4::bigint - 1) n on conflict do nothing`,
)
/** Nonces from `first` up to `next`, without it, were used by others. */
export async function skipNonces(
  tx: Tx,
  wallet: { chain: ChainName; keyRef: KeyRef },
  { first, next, at }: { first: number; next: number; at: Date },
): Promise<void> {
  await tx.query(SKIP, [wallet.chain, wallet.keyRef, first, next, at])
}

const LIST = sql(
  'outbound.list_wallets',
  `select ${WALLET.list} from outbound.wallet
   order by key_ref not in ('hot', 'gas'), state = 'open', chain, key_ref limit 5000`,
)
/** The service's own first, then halted ones: there may be more deposit addresses than the list is long. */
export const listWallets = (db: Queryable): Promise<Wallet[]> => WALLET.all(db, LIST)

const LIST_SERVICE = sql(
  'outbound.list_service_wallets',
  `select ${WALLET.list} from outbound.wallet where key_ref in ('hot', 'gas') order by chain, key_ref`,
)
/** All wallets that are not deposit addresses: two for each chain. */
export const listServiceWallets = (db: Queryable): Promise<Wallet[]> => WALLET.all(db, LIST_SERVICE)

const LOW = sql(
  'outbound.low_wallets',
  `select distinct w.chain, w.key_ref "keyRef", w.address,
     case when t.hold_reason in ('gas_low', 'gas_capital_low') then 'NATIVE' else t.token end token
   from outbound.transaction t join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
   where t.state = 'queued' and t.hold_reason in ('hot_wallet_low', 'capital_low', 'gas_low', 'gas_capital_low') limit 1000`,
)
export interface LowWallet {
  readonly chain: ChainName
  readonly keyRef: KeyRef
  readonly address: Address
  readonly token: string
}
/** Wallets that cannot cover what is queued on them, with the token that they lack. */
export const listLowWallets = (db: Queryable): Promise<LowWallet[]> => db.query<LowWallet>(LOW)

const FROZEN = sql(
  'outbound.frozen_wallets',
  `select chain, token, count(*)::int payments from outbound.transaction
   where state = 'queued' and hold_reason = 'wallet_frozen' group by chain, token order by chain, token limit 100`,
)
export interface FrozenWallet {
  readonly chain: ChainName
  readonly token: string
  readonly payments: number
}
/** Tokens that refuse every payment of the hot wallet of their chain, with what waits for them. */
export const listFrozenWallets = (db: Queryable): Promise<FrozenWallet[]> =>
  db.query<FrozenWallet>(FROZEN)

const HELD_BACK = sql(
  'outbound.list_held_back',
  `select ref_id id from outbound.transaction
   where chain = $1 and state = 'queued' and purpose = $2 and hold_reason = $3 order by sequence limit 200`,
)
/** What queued transactions of a purpose are for that wait for this reason, the oldest first. */
export async function listHeldBack(
  db: Queryable,
  held: { readonly chain: ChainName; readonly purpose: Purpose; readonly reason: string },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(HELD_BACK, [held.chain, held.purpose, held.reason])
  return rows.map(({ id }) => id)
}

const FIGURES = sql(
  'outbound.figures',
  `select chain, state, coalesce(hold_reason, '') "holdReason", count(*)::int count, min(created_at) oldest
   from outbound.transaction where finished_at is null group by 1, 2, 3
   union all
   select t.chain, 'left_chain', '', count(*)::int, min(t.created_at)
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
   where f.missing_at is not null and f.displaced_at is null group by 1
   union all
   select t.chain, 'displaced_final', '', count(*)::int, min(f.displaced_at)
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
   where f.displaced_at is not null and f.settled_at is null group by 1`,
)
const NATIVE_EFFECTS = sql(
  'outbound.native_effects',
  `select e.index, sum(e.units) units, coalesce(bool_or(e.is_moving), false) "isMoving"
   from (
     select t.deposit_index index, case when t.state = 'confirmed' then t.units else 0 end units,
       (t.finished_at is null and t.state <> 'queued') or t.mined_block > $2 is_moving
     from outbound.transaction t where t.chain = $1 and t.purpose = 'gas' and t.deposit_index is not null
     union all
     select substr(t.key_ref, 9)::integer,
       -coalesce(t.fee_paid, 0) - case when t.state = 'confirmed' and t.token = 'NATIVE' then t.units else 0 end,
       (t.finished_at is null and t.state <> 'queued') or t.mined_block > $2
     from outbound.transaction t where t.chain = $1 and t.key_ref like 'deposit/%') e
   where e.index between $3 and $4 group by e.index`,
)
export interface NativeEffect {
  /** Of the deposit address. */
  readonly index: number
  /** Wei that came as gas, less what went out with its fees. */
  readonly units: bigint
  /** Something is under way, or was mined above the block. */
  readonly isMoving: boolean
}
/** What our own transactions did to the native coin of deposit addresses, up to a block. */
export async function readNativeEffects(
  db: Queryable,
  chain: ChainName,
  range: { readonly upTo: bigint; readonly first: number; readonly last: number },
): Promise<NativeEffect[]> {
  const values = [chain, range.upTo, range.first, range.last]
  const rows = await db.query<Omit<NativeEffect, 'units'> & { units: string }>(
    NATIVE_EFFECTS,
    values,
  )
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}

export interface OutboundFigure {
  readonly chain: ChainName
  /**
   * Or `left_chain`: final, and in no final block any more; or `displaced_final`: it never will be, and an
   * operator has not settled it yet.
   */
  readonly state: string
  /** Empty for one that waits for nothing. */
  readonly holdReason: string
  readonly count: number
  readonly oldest: Date
}
/** What is under way, for metrics. */
export const readFigures = (db: Queryable): Promise<OutboundFigure[]> => db.query(FIGURES)

const DAY_MS = 24 * 3_600_000
/** By the ids, which are those of the primary key and begin with their time (RFC 9562). */
const OUTFLOWS = sql(
  'outbound.outflows',
  `with recent as (
     select chain, key_ref, token, units, fee_paid from outbound.transaction
     where id >= $1 and key_ref in ('hot', 'gas') and state in ('queued', 'signing', 'signed', 'broadcast', 'confirmed'))
   select chain, key_ref "keyRef", token, sum(units) units from (
     select chain, key_ref, token, units from recent
     union all select chain, key_ref, 'NATIVE', fee_paid from recent where fee_paid is not null) paid
   group by 1, 2, 3`,
)
export interface Outflow {
  readonly chain: ChainName
  readonly keyRef: KeyRef
  readonly token: string
  /** Base units, of native coin with the fees. */
  readonly units: bigint
}
/** What the service's own wallets paid, or have to pay, of what was queued in the last 24 hours. */
export async function readOutflows(db: Queryable, at: Date): Promise<Outflow[]> {
  const first = (at.getTime() - DAY_MS).toString(16).padStart(12, '0')
  const least = `${first.slice(0, 8)}-${first.slice(8)}-0000-0000-000000000000`
  const rows = await db.query<Omit<Outflow, 'units'> & { units: string }>(OUTFLOWS, [least])
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}

const LIST_UNFINISHED = sql(
  'outbound.list_unfinished',
  `select id, case purpose when 'payout' then ref_id end "refId",
     concat_ws(' ', purpose, token, chain, state, hold_reason) what, created_at since, due_at "dueAt",
     (count(*) over ())::int count, (count(*) filter (where due_at <= $1) over ())::int due
   from outbound.transaction where finished_at is null order by created_at, sequence limit $2`,
)
/** Transactions that are not final, the oldest first; `refId` is the withdrawal that one pays. */
export const listUnfinished = (
  db: Queryable,
  query: { readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_UNFINISHED, [query.at, query.limit])

const QUEUED_UNITS = sql(
  'outbound.queued_units',
  `select chain, key_ref "keyRef", token, sum(units) units, coalesce(bool_or(hold_reason in ('hot_wallet_low', 'capital_low')), false) "isLow",
     coalesce(bool_or(hold_reason in ('gas_low', 'gas_capital_low')), false) "isGasLow"
   from outbound.transaction where state = 'queued' and key_ref in ('hot', 'gas') group by 1, 2, 3`,
)
export interface QueuedUnits {
  readonly chain: ChainName
  readonly keyRef: KeyRef
  readonly token: string
  /** Base units of what is queued and not signed. */
  readonly units: bigint
  /** Some of it waits because the wallet, or what is ours of it, cannot cover it in the token, or in gas. */
  readonly isLow: boolean
  readonly isGasLow: boolean
}
/** What the service's own wallets have to pay next. */
export async function readQueuedUnits(db: Queryable): Promise<QueuedUnits[]> {
  const rows = await db.query<Omit<QueuedUnits, 'units'> & { units: string }>(QUEUED_UNITS)
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}
