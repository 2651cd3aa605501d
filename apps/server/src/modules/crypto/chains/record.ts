// From a movement to a transfer: its row, and what its handler makes of it when it is new.
import type { Tx } from '#infra/database/db'
import { findSent } from '#outbound'
import type { ChainId } from './chain.ts'
import type { Incoming, Token } from './read-transfers.ts'
import { insertOwnPayments } from './store/holdings.ts'
import { recordTransfers, type Transfer } from './store/transfers.ts'
import { handlerFor, type TransferHandlers } from './transfer-handler.ts'

/** In a token that is taken. */
export type Accepted = Incoming & { readonly token: Token }

/** How many were recorded; the others were taken back before. */
export async function recordMovements(
  tx: Tx,
  handlers: TransferHandlers,
  block: Parameters<typeof recordTransfers>[1],
  movements: readonly Accepted[],
): Promise<number> {
  const recorded = await recordTransfers(tx, block, movements)
  for (const transfer of recorded) {
    if (transfer.isNew)
      await handlerFor(handlers, transfer.purpose).record(tx, seenOf(transfer, block.at))
  }
  return recorded.length
}

/** Those that `outbound` sent are left out: it knows what they did to the balance of an address. */
export async function recordOwnPayments(
  tx: Tx,
  block: { readonly chain: ChainId; readonly number: bigint },
  payments: readonly Incoming[],
): Promise<void> {
  if (payments.length === 0) return
  const sent = await findSent(
    tx,
    payments.map(({ txHash }) => txHash),
  )
  await insertOwnPayments(
    tx,
    block,
    payments.filter(({ txHash }) => !sent.has(txHash)),
  )
}

const seenOf = (transfer: Transfer, at: Date) => ({
  transferId: transfer.id,
  ownerId: transfer.ownerId,
  chain: transfer.chain,
  token: transfer.token,
  units: transfer.units,
  decimals: transfer.decimals,
  address: transfer.address,
  txHash: transfer.txHash,
  at,
})
