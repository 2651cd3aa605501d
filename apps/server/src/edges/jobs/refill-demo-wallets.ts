// With the sandbox: supplies the wallets as an operator does with real chains. The scanner books the money.
import { type ChainId, findCursor, listTokens, listWallets } from '#chains'
import { readBalance } from '#custody'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Address, ChainName } from '#kernel/chain'
import { listLowWallets } from '#outbound'

export interface RefillDeps {
  readonly db: Db
  readonly chains: readonly ChainId[]
  readonly faucet: (
    chain: ChainName,
    payment: { readonly address: Address; readonly token: string; readonly amount: string },
  ) => Promise<void>
}

const EVERY_MS = 1_000
const AMOUNT = { NATIVE: '100', OTHER: '500000' } as const
const amountOf = (token: string): string => (token === 'NATIVE' ? AMOUNT.NATIVE : AMOUNT.OTHER)

export function createRefillDemoWallets({ db, chains, faucet }: RefillDeps): Job {
  const withoutCapital = new Set<ChainId>(chains)
  /**
   * Without capital, network fees and payments from wallets in cents would come out of what is owed to
   * merchants in kind (invariant I5).
   */
  const supplyCapital = async (): Promise<void> => {
    const hot = (await listWallets(db)).find(({ purpose }) => purpose === 'hot_wallet')
    if (hot === undefined) return
    for (const chain of withoutCapital) {
      // What arrives before the first scanned block is never booked.
      if ((await findCursor(db, chain)) === null) continue
      for (const { symbol: token, isAccepted } of await listTokens(db, chain)) {
        if (!isAccepted || (await readBalance(db, 'capital', { chain, token })) > 0n) continue
        await faucet(chain, { address: hot.lookup, token, amount: amountOf(token) })
      }
      withoutCapital.delete(chain)
    }
  }
  const refillLow = async (): Promise<void> => {
    for (const { chain, keyRef, address, token } of await listLowWallets(db)) {
      if (keyRef !== 'hot' && keyRef !== 'gas') continue
      // A wallet that has no tokens yet has no gas either, and would be found low a second time.
      if (token !== 'NATIVE') await faucet(chain, { address, token, amount: amountOf(token) })
      await faucet(chain, { address, token: 'NATIVE', amount: AMOUNT.NATIVE })
    }
  }
  return {
    name: 'refill-demo-wallets',
    everyMs: EVERY_MS,
    singleton: true,
    work: async () => {
      await refillLow()
      await supplyCapital()
      return false
    },
  }
}
