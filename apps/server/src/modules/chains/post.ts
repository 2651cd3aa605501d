// The postings in kind of a transfer: each once for its key.
import { post } from '#custody'
import type { Tx } from '#infra/db'
import { baseUnits } from '#kernel/chain'
import type { Transfer } from './store/transfers.ts'

/** What has arrived is ours to hold from here on, also where it is not credited yet. */
export const postArrival = (tx: Tx, transfer: Transfer, at: Date): Promise<number> => {
  const { id, chain, token, units } = transfer
  const posting = { reason: 'deposit', refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}`
  const credit = creditorOf(transfer)
  return post(tx, [{ ...posting, key, debit: 'deposit_address', credit }], at)
}

/** The same backwards: the transfer is not in the chain any more. */
export const postReturn = (tx: Tx, transfer: Transfer, at: Date): Promise<number> => {
  const { id, chain, token, units } = transfer
  const posting = { reason: 'deposit_reversed', refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}:reversed`
  const debit = creditorOf(transfer)
  return post(tx, [{ ...posting, key, debit, credit: 'deposit_address' }], at)
}

const creditorOf = ({ purpose, ownerId }: Transfer) =>
  purpose === 'payout_custody' ? ({ role: 'merchant', ownerId } as const) : 'ledger_clearing'
