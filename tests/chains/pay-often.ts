// Many token transfers to one address that cost their sender one transaction: what a flood is made of.
import type { Address, Hex } from '../../apps/server/src/kernel/chain.ts'
import { TRANSFER_TOPIC } from '../../apps/server/src/modules/crypto/chains/read-transfers.ts'
import type { TestChain } from '../support/chains/index.ts'

/** A contract that emits transfers: to its first argument, each of the second, as many as the third says. */
const EMITTER: Hex = `0x6020356000526040355b60003560017f${TRANSFER_TOPIC.slice(2)}60206000a3600190038060095700`

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')

/** In one block: `transactions` transactions, each with `count` transfers of `units` base units of USDC. */
export async function payOften(
  chain: TestChain,
  to: Address,
  given: { readonly units: bigint; readonly count: number; readonly transactions?: number },
): Promise<void> {
  const { units, count, transactions = 1 } = given
  const usdc = chain.network.tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '0x'
  const code = await chain.rpc('eth_getCode', [usdc, 'latest'])
  await chain.rpc('anvil_setCode', [usdc, EMITTER])
  const data: Hex = `0x${word(to)}${word(units)}${word(BigInt(count))}`
  for (let i = 0; i < transactions; i++) await chain.send({ to: usdc, data })
  await chain.mine(1)
  await chain.rpc('anvil_setCode', [usdc, code])
}
