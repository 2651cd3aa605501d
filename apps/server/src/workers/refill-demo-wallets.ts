// With the sandbox: refills wallets that cannot cover what is queued on them, as an operator does with real
// chains. The scanner books what comes in.
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import type { Address, ChainName } from '#kernel/chain'
import { listLowWallets } from '#outbound'

export interface RefillDeps {
  readonly db: Db
  readonly faucet: (
    chain: ChainName,
    payment: { readonly address: Address; readonly token: string; readonly amount: string },
  ) => Promise<void>
}

const EVERY_MS = 1_000
const AMOUNT = { NATIVE: '100', OTHER: '500000' } as const

export function createRefillDemoWallets({ db, faucet }: RefillDeps): Job {
  return {
    name: 'refill-demo-wallets',
    everyMs: EVERY_MS,
    singleton: true,
    work: async () => {
      for (const { chain, keyRef, address, token } of await listLowWallets(db)) {
        if (keyRef !== 'hot' && keyRef !== 'gas') continue
        // A wallet that has no tokens yet has no gas either, and would be found low a second time.
        if (token !== 'NATIVE') await faucet(chain, { address, token, amount: AMOUNT.OTHER })
        await faucet(chain, { address, token: 'NATIVE', amount: AMOUNT.NATIVE })
      }
      return false
    },
  }
}
