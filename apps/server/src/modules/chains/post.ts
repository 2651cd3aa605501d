// The postings in kind of a transfer: each once for its key.
import { type CustodyAccount, post } from '#custody'
import type { Tx } from '#infra/db'
import { baseUnits } from '#kernel/chain'
import type { Sinks } from './sink.ts'
import type { Transfer } from './store/transfers.ts'

/** What has arrived is ours to hold from here on, also where it is not credited yet. */
export async function postArrival(
  tx: Tx,
  sinks: Sinks,
  transfer: Transfer,
  at: Date,
): Promise<void> {
  const { id, chain, token, units } = transfer
  const posting = { reason: 'deposit', refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}`
  const credit = await creditorOf(tx, sinks, transfer)
  await post(tx, [{ ...posting, key, debit: 'deposit_address', credit }], at)
}

/** The same backwards: the transfer is not in the chain any more. */
export async function postReturn(
  tx: Tx,
  sinks: Sinks,
  transfer: Transfer,
  at: Date,
): Promise<void> {
  const { id, chain, token, units } = transfer
  const posting = { reason: 'deposit_reversed', refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}:reversed`
  const debit = await creditorOf(tx, sinks, transfer)
  await post(tx, [{ ...posting, key, debit, credit: 'deposit_address' }], at)
}

async function creditorOf(
  tx: Tx,
  sinks: Sinks,
  { purpose, ownerId }: Transfer,
): Promise<CustodyAccount> {
  if (purpose === 'deposit') return 'ledger_clearing'
  return { role: 'merchant', ownerId: await sinks[purpose].holderOf(tx, ownerId) }
}
