// The postings in kind of a transfer: each once for its key.
import { type CustodyAccount, post, type ServiceRole } from '#custody'
import type { Tx } from '#infra/database/db'
import { type Address, baseUnits } from '#kernel/chain'
import { isOwned } from './read-transfers.ts'
import type { Transfer } from './store/transfers.ts'
import { handlerFor, type TransferHandlers } from './transfer-handler.ts'

export interface PostDeps {
  readonly handlers: TransferHandlers
  /** Lower or mixed case. */
  readonly treasury: Address | null
}

/** What has arrived is ours to hold from here on, also where it is not credited yet. */
export async function postArrival(
  tx: Tx,
  deps: PostDeps,
  transfer: Transfer,
  at: Date,
): Promise<void> {
  const { id, chain, token, units, purpose } = transfer
  const reason = isOwned(purpose) ? 'deposit' : 'refill'
  const posting = { reason, refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}`
  const credit = await creditorOf(tx, deps, transfer)
  await post(tx, [{ ...posting, key, debit: holderOf(transfer), credit }], at)
}

/** The same backwards: the transfer is not in the chain any more. */
export async function postReturn(
  tx: Tx,
  deps: PostDeps,
  transfer: Transfer,
  at: Date,
): Promise<void> {
  const { id, chain, token, units, purpose } = transfer
  const reason = isOwned(purpose) ? 'deposit_reversed' : 'refill_reversed'
  const posting = { reason, refId: id, chain, token, units: baseUnits(units) }
  const key = `transfer:${id}:reversed`
  const debit = await creditorOf(tx, deps, transfer)
  await post(tx, [{ ...posting, key, debit, credit: holderOf(transfer) }], at)
}

const holderOf = ({ purpose }: Transfer): ServiceRole =>
  isOwned(purpose) ? 'deposit_address' : purpose

/** A wallet of the service is refilled from the treasury, or with capital that was outside of the books. */
async function creditorOf(
  tx: Tx,
  { handlers, treasury }: PostDeps,
  { id: transferId, purpose, ownerId, sender }: Transfer,
): Promise<CustodyAccount> {
  if (!isOwned(purpose)) return sender === treasury?.toLowerCase() ? 'treasury' : 'capital'
  if (purpose === 'deposit') return 'ledger_clearing'
  return handlerFor(handlers, purpose).holderOf(tx, { transferId, ownerId })
}
