// With the sandbox: refills wallets that cannot cover what is queued on them, as an operator does with real
// chains. What came in is booked as our own capital.
import { post } from '#custody'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import { type Address, baseUnits, type ChainName } from '#kernel/chain'
import { newId } from '#kernel/id'
import { listLowWallets } from '#outbound'

export interface RefillDeps {
  readonly db: Db
  readonly clock: Clock
  readonly faucet: (
    chain: ChainName,
    payment: { readonly address: Address; readonly token: string; readonly amount: string },
  ) => Promise<{ readonly units: bigint }>
}

const EVERY_MS = 1_000
const AMOUNT = { NATIVE: '100', OTHER: '500000' } as const

export function createRefillDemoWallets({ db, clock, faucet }: RefillDeps): Job {
  return {
    name: 'refill-demo-wallets',
    everyMs: EVERY_MS,
    singleton: true,
    work: async () => {
      for (const { chain, keyRef, address, token } of await listLowWallets(db)) {
        if (keyRef !== 'hot' && keyRef !== 'gas') continue
        const amount = token === 'NATIVE' ? AMOUNT.NATIVE : AMOUNT.OTHER
        const { units } = await faucet(chain, { address, token, amount })
        const posting = {
          ...{ key: `refill:${newId()}`, reason: 'refill', refId: null, chain, token },
          debit: keyRef === 'hot' ? 'hot_wallet' : 'gas_station',
          credit: 'capital',
          units: baseUnits(units),
        } as const
        await db.transaction((tx) => post(tx, [posting], clock.now()))
      }
      return false
    },
  }
}
