// Withdrawals from the request to the broadcast, on a real node: ours, and a loop that signs and sends
// with viem.
import { createWalletClient, defineChain, encodeFunctionData, erc20Abi, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import {
  MNEMONIC,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
} from '../../tests/chains/payouts/environment.ts'
import { startChain, type TestChain } from '../../tests/support/chains/index.ts'
import { answerWith } from '../ipc.ts'

const AT_ONCE = 16

let environment: PayoutEnvironment | null = null
let chain: TestChain | null = null
let approving: Pump | null = null
let sending: Pump | null = null

const opened = <T>(value: T | null): T => {
  if (value === null) throw new Error('the environment is not open')
  return value
}

interface Pump {
  wake(): void
  idle(): Promise<void>
}

/** One run at a time; a wake during a run makes another one follow. */
function createPump(work: () => Promise<boolean>): Pump {
  let isWanted = false
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false
      while (await work());
    }
    running = null
  }
  return {
    wake: (): void => {
      isWanted = true
      running ??= run()
    },
    idle: async (): Promise<void> => {
      await running
    },
  }
}

const methods = {
  open: async (databaseUrl: string, callbackUrl: string): Promise<void> => {
    const db = openDb({ url: databaseUrl, poolSize: AT_ONCE + 4 })
    const database = { db, close: () => db.close() }
    environment = await payoutEnvironment({ database, callbackUrl, isDirect: true })
    await environment.fund('USDC', 10n ** 14n)
    chain = await startChain('ethereum')
    const account = mnemonicToAccount(MNEMONIC, { accountIndex: 1 })
    await chain.setBalance(account.address, 10n ** 20n)
    await chain.pay(account.address, 'USDC', 10n ** 14n)
    await chain.mine(1)
    const { approve, send } = environment
    approving = createPump(() => approve())
    sending = createPump(() => send())
    await db.listen('payout_due', approving.wake)
    await db.listen('outbound_work', sending.wake)
  },

  /**
   * Seconds from the first request until all are broadcast. Approval and sending run beside the requests and
   * are woken by the notices of the commits, as the jobs of the service are.
   */
  ours: async (count: number): Promise<number> => {
    const now = opened(environment)
    const begun = performance.now()
    let left = count
    const submitter = async (): Promise<void> => {
      while (left-- > 0) await now.submit()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, submitter))
    // Notices may still be on their way.
    for (const pump of [opened(approving), opened(sending)]) {
      pump.wake()
      await pump.idle()
    }
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
    const token = await opened(environment).networks.find('ethereum', 'USDC')
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
    await environment?.close()
  },
}
export type PayoutMethods = typeof methods

answerWith(methods)
