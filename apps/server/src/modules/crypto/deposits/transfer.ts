// A chain deposit as the scanner of a chain reports it. Each function is called in the scanner's transaction
// and is safe to repeat: a transfer becomes one deposit and is credited once.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { Bug } from '#kernel/assert'
import { attos, formatDecimal, fromUnits } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { valueOfCents } from './amounts.ts'
import type { Deposit } from './deposit.ts'
import { creditPayment, reversePayment } from './store/credits.ts'
import { lockDeposit, moveDeposit } from './store/deposits.ts'

/** Why a transfer is never credited as it stands. */
export type TransferFailure = 'unsupported_token' | 'below_minimum' | 'chain_reorg'

export interface Transfer {
  /** The scanner's id of the transfer, or of a batch of small ones that is credited as one. */
  readonly transferId: string
  /** The owner of the address that was paid. */
  readonly ownerId: string
  readonly chain: string
  /** Symbol, or the address of a contract that we do not know. */
  readonly token: string
  readonly units: bigint
  readonly decimals: number
  readonly txHash: string
  /** Our address. */
  readonly address: string
  readonly at: Date
}

export interface TransferCredit {
  readonly transferId: string
  /** US cents, rounded down once. */
  readonly creditedCents: Cents
  /** US dollars for one token in 10^-8. */
  readonly usdE8: bigint
  /** Where the rate is from; stored with the credit. */
  readonly rateSources: readonly string[]
  readonly confirmations: number
  readonly at: Date
}

const RECORD = sql(
  'deposits.record_transfer',
  'select deposits.record_transfer($1, $2, $3, $4, $5, $6, $7, $8) id',
)
/** A transfer that was first seen: initiated and pending. A known one stays as it is. */
export async function recordTransfer(tx: Tx, transfer: Transfer): Promise<{ depositId: string }> {
  const [row] = await tx.query<{ id: string }>(RECORD, [
    transfer.transferId,
    transfer.ownerId,
    transfer.chain,
    transfer.token,
    formatDecimal(fromUnits(transfer.units, transfer.decimals)),
    transfer.address,
    transfer.txHash,
    transfer.at,
  ])
  return { depositId: row?.id ?? '' }
}

const CONFIRM = sql(
  'deposits.set_confirmations',
  `update deposits.deposit d set confirmations = seen.confirmations
   from unnest($1::uuid[], $2::integer[]) seen (transfer_id, confirmations)
   where d.transfer_id = seen.transfer_id and d.confirmations is distinct from seen.confirmations`,
)
/** What reads show; no event. */
export async function setConfirmations(
  tx: Tx,
  seen: readonly { readonly transferId: string; readonly confirmations: number }[],
): Promise<void> {
  await tx.query(CONFIRM, [
    seen.map(({ transferId }) => transferId),
    seen.map(({ confirmations }) => confirmations),
  ])
}

const NOTE_RATE = sql(
  'deposits.note_transfer_rate',
  'update deposits.deposit d set usd_per_token = $2 where d.id = $1',
)
/**
 * Credits a confirmed transfer, once. One that was reversed is never credited again: that is a Bug. Refuses
 * SERVICE_DISABLED for a wallet in euros while there is no current rate. `isUnclaimed`: it was put aside by
 * this call, because its account was deleted, and needs a case.
 */
export async function creditTransfer(
  tx: Tx,
  credit: TransferCredit,
): Promise<{ depositId: string; isUnclaimed: boolean }> {
  const { transferId, at } = credit
  const deposit = await lockTransfer(tx, transferId)
  if (deposit.reversed > 0n) throw new Bug(`transfer ${transferId} was reversed`)
  if (deposit.status === 'completed') return { depositId: deposit.id, isUnclaimed: false }
  const usdPerEurMicros = deposit.currency === 'USD' ? null : await euroRate(tx, at)
  const { isUnclaimed } = await creditPayment(
    tx,
    deposit.id,
    {
      provider: 'chain',
      settlementRef: transferId,
      amount: deposit.received,
      value: valueOfCents(credit.creditedCents),
      rateSources: credit.rateSources,
      net: credit.creditedCents,
      fee: cents(0n),
      usdPerEurMicros,
    },
    at,
  )
  await tx.query(NOTE_RATE, [deposit.id, formatDecimal(attos(credit.usdE8 * 10n ** 10n))])
  await setConfirmations(tx, [credit])
  await moveDeposit(tx, deposit.id, { to: 'completed' }, at)
  return { depositId: deposit.id, isUnclaimed }
}

const EURO_RATE = sql('deposits.euro_rate', 'select fx.usd_per_eur_at($1) rate')
async function euroRate(tx: Tx, at: Date): Promise<bigint> {
  const [row] = await tx.query<{ rate: bigint | null }>(EURO_RATE, [at])
  return row?.rate ?? refuse('SERVICE_DISABLED', { reason: 'exchange_rate' })
}

/** Ends a transfer that is not credited. One that has ended, or was credited, stays as it is. */
export async function failTransfer(
  tx: Tx,
  { transferId, reason, at }: { transferId: string; reason: TransferFailure; at: Date },
): Promise<void> {
  const deposit = await lockTransfer(tx, transferId)
  if (deposit.status === 'pending') await moveDeposit(tx, deposit.id, { to: 'failed', reason }, at)
}

/** Takes back a credited transfer that its chain has given up for good. */
export async function reverseTransfer(
  tx: Tx,
  { transferId, at }: { transferId: string; at: Date },
): Promise<{ takenBack: Cents; owed: Cents }> {
  const deposit = await lockTransfer(tx, transferId)
  return reversePayment(
    tx,
    deposit.id,
    {
      provider: 'chain',
      refundRef: transferId,
      amount: deposit.received,
      to: 'failed',
      reason: 'chain_reorg',
    },
    at,
  )
}

const FIND = sql(
  'deposits.find_by_transfer',
  'select d.id from deposits.deposit d where d.transfer_id = $1',
)
async function lockTransfer(tx: Tx, transferId: string): Promise<Deposit> {
  const [row] = await (tx as Queryable).query<{ id: string }>(FIND, [transferId])
  const deposit = row === undefined ? null : await lockDeposit(tx, row.id)
  if (deposit === null) throw new Bug(`transfer ${transferId} was not recorded`)
  return deposit
}
