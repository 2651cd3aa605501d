// What arrives in a token that we do not take. It is kept for recovery by hand, and the owner learns of it
// once for each chain, token and address, where the token is known by name. Anyone can make a contract and
// send it to every address, so an unknown one causes no event.
import type { Tx } from '#infra/database/db'
import type { ChainId } from './chain.ts'
import type { Incoming } from './read-transfers.ts'
import { noteUnsupported } from './store/unsupported.ts'
import { handlerFor, type TransferHandlers } from './transfer-handler.ts'

export async function recordUnsupported(
  tx: Tx,
  {
    chain,
    handlers,
    at,
  }: { readonly chain: ChainId; readonly handlers: TransferHandlers; readonly at: Date },
  { address, token, contract, units, txHash }: Incoming,
): Promise<void> {
  const noted = await noteUnsupported(tx, { chain, contract, addressId: address.id, txHash, at })
  if (!noted.isFirst || token === null) return
  const { transferId } = noted
  const handler = handlerFor(handlers, address.purpose)
  await handler.record(tx, {
    transferId,
    ownerId: address.ownerId,
    token: token.symbol,
    decimals: token.decimals,
    address: address.address,
    ...{ chain, units, txHash, at },
  })
  await handler.fail(tx, transferId, 'unsupported_token', at)
}
