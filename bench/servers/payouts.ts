// Withdrawals from the request to the broadcast, on a real node: ours, and a loop that signs and sends
// with viem.
import { createWalletClient, defineChain, encodeFunctionData, erc20Abi, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { openDb } from '../../apps/server/src/infra/db.ts'
import {
  MNEMONIC,
  newDestination,
  type PayoutWorld,
  payoutWorld,
} from '../../apps/server/src/modules/payouts/testing/world.ts'
import { startChain, type TestChain } from '../../tests/support/chains/index.ts'
import { answerWith } from '../ipc.ts'

const AT_ONCE = 16

let world: PayoutWorld | null = null
let chain: TestChain | null = null

const opened = <T>(value: T | null): T => {
  if (value === null) throw new Error('the world is not open')
  return value
}

const methods = {
  open: async (databaseUrl: string): Promise<void> => {
    const db = openDb({ url: databaseUrl, poolSize: AT_ONCE + 4 })
    world = await payoutWorld({ db, close: () => db.close() })
    await world.fund('USDC', 10n ** 14n)
    chain = await startChain('ethereum')
    const account = mnemonicToAccount(MNEMONIC, { accountIndex: 1 })
    await chain.setBalance(account.address, 10n ** 20n)
    await chain.pay(account.address, 'USDC', 10n ** 14n)
    await chain.mine(1)
  },

  /** Seconds from the first request until all are broadcast. */
  ours: async (count: number): Promise<number> => {
    const now = opened(world)
    const begun = performance.now()
    let left = count
    const submitter = async (): Promise<void> => {
      while (left-- > 0) await now.submit()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, submitter))
    while (await now.approve());
    while (await now.send());
    const seconds = (performance.now() - begun) / 1000
    await now.chain.mine(3)
    await now.track()
    return seconds
  },

  /** The same payments one after the other: signed and sent, and nothing kept. */
  peer: async (count: number): Promise<number> => {
    const { url, network, mine } = opened(chain)
    const account = mnemonicToAccount(MNEMONIC, { accountIndex: 1 })
    const client = createWalletClient({
      account,
      transport: http(url),
      chain: defineChain({
        id: network.chainId,
        name: network.id,
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [url] } },
      }),
    })
    const token = await opened(world).networks.find('ethereum', 'USDC')
    const begun = performance.now()
    for (let i = 0; i < count; i++) {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [newDestination(), 25_000_000n],
      })
      await client.sendTransaction({ to: token?.address ?? null, data })
    }
    const seconds = (performance.now() - begun) / 1000
    await mine(1)
    return seconds
  },

  close: async (): Promise<void> => {
    await chain?.stop()
    await world?.close()
  },
}
export type PayoutMethods = typeof methods

answerWith(methods)
