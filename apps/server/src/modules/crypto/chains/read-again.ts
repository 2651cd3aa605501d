// Whether nodes show a transfer that is final as it was scanned. Its receipt is read again at the chain's own
// node, and of a large one at the second node too.
import type { ChainNode, InternalTransfer, Receipt, SecondNode } from './ports.ts'
import { BY_BALANCE, readTransferLogs } from './read-transfers.ts'
import type { Transfer } from './store/transfers.ts'

/** By the chain's own node. */
export async function isConfirmedBy(node: ChainNode, transfer: Transfer): Promise<boolean> {
  if (!isSame(await node.receipt(transfer.txHash), transfer)) return false
  if (transfer.kind !== 'internal' || transfer.ordinal.startsWith(BY_BALANCE)) return true
  const internals = await node.internalTransfers(transfer.blockHash)
  if (internals === null) return false
  // The state of the block is no longer kept. It is the block that was scanned, and so is what it executed.
  if (internals === 'unsupported') return true
  return isAmong(internals, transfer)
}

/**
 * Null: the second node shows the same transfer. Its receipt has the amount of a token; of native coin it
 * does not, and the first node alone has said how much it was.
 */
export async function findDenial(
  second: SecondNode,
  transfer: Transfer,
): Promise<'second_node_differs' | 'second_node_untraced' | null> {
  const { kind, txHash, blockHash, ordinal, units } = transfer
  if (!isSame(await second.receipt(txHash), transfer)) return 'second_node_differs'
  if (kind === 'native') {
    return (await second.sentUnits(txHash)) === units ? null : 'second_node_differs'
  }
  // What only a balance showed is in no trace: an operator has named its transaction.
  if (kind !== 'internal' || ordinal.startsWith(BY_BALANCE)) return null
  const internals = await second.internalTransfers(blockHash)
  if (internals === 'unsupported') return 'second_node_untraced'
  return internals !== null && isAmong(internals, transfer) ? null : 'second_node_differs'
}

const isAmong = (internals: readonly InternalTransfer[], transfer: Transfer): boolean =>
  internals.some(
    ({ txHash, path, to, units }) =>
      txHash === transfer.txHash &&
      path === transfer.ordinal &&
      to === transfer.recipient &&
      units === transfer.units,
  )

/**
 * An internal transfer is not in the receipt: there it is the block and the success that count. Nor is the
 * amount of native coin.
 */
function isSame(receipt: Receipt | null, transfer: Transfer): boolean {
  if (receipt === null || !receipt.succeeded || receipt.blockHash !== transfer.blockHash)
    return false
  switch (transfer.kind) {
    case 'internal':
      return true
    case 'native':
      return receipt.to === transfer.recipient
    default:
      return readTransferLogs(receipt.transferLogs).some(
        ({ ordinal, contract, to, units }) =>
          ordinal === transfer.ordinal &&
          contract === transfer.contract &&
          to === transfer.recipient &&
          units === transfer.units,
      )
  }
}
