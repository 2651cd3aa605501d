// SQL of deposits into payout custody.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type BaseUnits, baseUnits } from '#kernel/chain'
import { type CursorPage, cursorPageOf } from '#kernel/page'

export interface CustodyDeposit {
  readonly id: string
  readonly merchantId: string
  /** The sub-user whose address was paid. */
  readonly userId: string | null
  readonly chain: string
  readonly token: string
  readonly units: BaseUnits
  readonly decimals: number
  readonly address: string
  readonly txHash: string
  readonly status: 'pending' | 'completed' | 'failed'
  readonly confirmations: number
  readonly reason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  /** Put aside, because the merchant was deleted. */
  readonly isUnclaimed: boolean
}

interface Row extends Omit<CustodyDeposit, 'units'> {
  readonly units: string
}

const COLUMNS = `id, merchant_id "merchantId", user_id "userId", chain, token, units, decimals, address,
  tx_hash "txHash", status, confirmations, reason, created_at "createdAt",
  updated_at "updatedAt", completed_at "completedAt", is_unclaimed "isUnclaimed"`

const depositOf = (row: Row): CustodyDeposit => ({ ...row, units: baseUnits(BigInt(row.units)) })

const INSERT = sql(
  'payouts.insert_deposit',
  `insert into payouts.deposit (id, merchant_id, user_id, chain, token, units, decimals, address, tx_hash, created_at,
     updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) on conflict (id) do nothing`,
)
export async function insertDeposit(
  tx: Tx,
  deposit: Pick<
    CustodyDeposit,
    'id' | 'merchantId' | 'userId' | 'chain' | 'token' | 'decimals' | 'address' | 'txHash'
  > & { readonly units: bigint; readonly at: Date },
): Promise<void> {
  await tx.query(INSERT, [
    deposit.id,
    deposit.merchantId,
    deposit.userId,
    deposit.chain,
    deposit.token,
    deposit.units,
    deposit.decimals,
    deposit.address,
    deposit.txHash,
    deposit.at,
  ])
}

const CONFIRMATIONS = sql(
  'payouts.set_confirmations',
  `update payouts.deposit set confirmations = $2 where id = $1 and status = 'pending' and confirmations <> $2`,
)
export async function setConfirmations(tx: Tx, id: string, confirmations: bigint): Promise<void> {
  await tx.query(CONFIRMATIONS, [id, confirmations])
}

const TAKE_HOLDER = sql(
  'payouts.take_holder',
  `update payouts.deposit d set is_unclaimed = case when d.completed_at is not null then d.is_unclaimed
       else (select o.status = 'deleted' from identity.lock_owners(array[d.merchant_id]) o) end
   where d.id = $1 returning d.merchant_id "merchantId", d.is_unclaimed "isUnclaimed"`,
)
/**
 * Whose deposit it is, and whether it is put aside: decided until it is completed, and kept from then on. The
 * merchant is not deleted before the transaction ends.
 */
export async function takeHolder(
  tx: Tx,
  id: string,
): Promise<Pick<CustodyDeposit, 'merchantId' | 'isUnclaimed'>> {
  const [row] = await tx.query<Pick<CustodyDeposit, 'merchantId' | 'isUnclaimed'>>(TAKE_HOLDER, [
    id,
  ])
  return assertDefined(row, 'the deposit of a transfer')
}

const COMPLETE = sql(
  'payouts.complete_deposit',
  `update payouts.deposit set status = 'completed', reason = null, confirmations = $2, completed_at = $3,
     updated_at = $3
   where id = $1 and completed_at is null returning ${COLUMNS}`,
)
/** Null when it was completed before, also when it was reversed since: it is announced once. */
export async function completeDeposit(
  tx: Tx,
  id: string,
  { confirmations, at }: { confirmations: bigint; at: Date },
): Promise<CustodyDeposit | null> {
  const [row] = await tx.query<Row>(COMPLETE, [id, confirmations, at])
  return row ? depositOf(row) : null
}

const FAIL = sql(
  'payouts.fail_deposit',
  `update payouts.deposit set status = 'failed', reason = $2, confirmations = 0, updated_at = $4
   where id = $1 and status = any ($3::text[])`,
)
export async function failDeposit(
  tx: Tx,
  id: string,
  { reason, from, at }: { reason: string; from: readonly CustodyDeposit['status'][]; at: Date },
): Promise<void> {
  await tx.query(FAIL, [id, reason, from, at])
}

const BY_IDS = sql(
  'payouts.deposits_by_ids',
  `select ${COLUMNS} from payouts.deposit where id = any ($1::uuid[])`,
)
export const readCustodyDeposits = async (
  db: Queryable,
  ids: readonly string[],
): Promise<CustodyDeposit[]> => (await db.query<Row>(BY_IDS, [ids])).map(depositOf)

const LIST = sql(
  'payouts.list_deposits',
  `select ${COLUMNS} from payouts.deposit
   where merchant_id = $1 and ($2::uuid is null or user_id = $2) and ($3::uuid is null or id < $3)
     and ($5::text is null or status = $5)
     and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)
   order by id desc limit $4`,
)
export interface CustodyDepositFilter {
  readonly merchantId: string
  readonly userId: string | null
  readonly status?: CustodyDeposit['status'] | null
  /** From the one on, before the other. */
  readonly from?: Date | null
  readonly to?: Date | null
  readonly cursor: string | null
  readonly limit: number
}
/** Newest first. */
export async function listCustodyDeposits(
  db: Queryable,
  { merchantId, userId, status, from, to, cursor, limit }: CustodyDepositFilter,
): Promise<CursorPage<CustodyDeposit>> {
  const values = [merchantId, userId, cursor, limit + 1, status ?? null, from ?? null, to ?? null]
  const rows = await db.query<Row>(LIST, values)
  return cursorPageOf(rows.map(depositOf), limit, ({ id }) => id)
}

const PENDING = sql(
  'payouts.pending_units',
  `select chain, token, sum(units) units from payouts.deposit
   where merchant_id = $1 and status = 'pending' and ($2::uuid is null or user_id = $2) group by 1, 2`,
)
const OF_USER = sql(
  'payouts.units_of_user',
  `select chain, token, sum(units) units from (
     select chain, token, units from payouts.deposit
       where merchant_id = $1 and user_id = $2 and status = 'completed'
     union all
     select chain, token, -(units + fee_units) from payouts.withdrawal
       where owner_id = $1 and for_user_id = $2 and source = 'custody' and status <> 'refunded') moved
   group by 1, 2`,
)
export interface UnitsOfToken {
  readonly chain: string
  readonly token: string
  readonly units: bigint
}
type UnitsRow = { chain: string; token: string; units: string }
const unitsOf = (row: UnitsRow): UnitsOfToken => ({ ...row, units: BigInt(row.units) })

/** What has arrived and is not confirmed. */
export const readPendingUnits = async (
  db: Queryable,
  merchantId: string,
  userId: string | null,
): Promise<UnitsOfToken[]> => (await db.query<UnitsRow>(PENDING, [merchantId, userId])).map(unitsOf)

/** A sub-user's deposits less its withdrawals; may be negative, because attribution limits nothing. */
export const readUnitsOfUser = async (
  db: Queryable,
  merchantId: string,
  userId: string,
): Promise<UnitsOfToken[]> => (await db.query<UnitsRow>(OF_USER, [merchantId, userId])).map(unitsOf)
