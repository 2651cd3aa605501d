// Our own wallets, as the jobs of the chains see them.
import { listWallets, registerWallet, type SweepTarget } from '#chains'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { listServiceWallets, type Signer } from '#outbound'

export interface OwnWalletsDeps {
  readonly treasury: SweepTarget['address'] | null
  readonly signer: Signer | null
}

/**
 * Our wallets are registered before the first block is scanned, so that every refill of them is booked. A
 * signer that is away later changes nothing.
 */
export function createOwnSenders({
  db,
  clock,
  treasury,
  signer,
}: OwnWalletsDeps & { readonly db: Db; readonly clock: Clock }) {
  let isRegistered = signer === null
  const register = async (): Promise<void> => {
    if (signer === null) return
    for (const [purpose, key] of [
      ['hot_wallet', 'hot'],
      ['gas_station', 'gas'],
    ] as const) {
      await registerWallet(db, { purpose, address: await signer.address(key) }, clock.now())
    }
    isRegistered = true
  }
  return async (): Promise<ReadonlySet<string>> => {
    try {
      if (!isRegistered) await register()
    } catch (error) {
      if ((await listWallets(db)).length === 0) throw error
    }
    const own = (await listServiceWallets(db)).map(({ address }) => address)
    if (treasury !== null) own.push(treasury)
    return new Set(own.map((address) => address.toLowerCase()))
  }
}

/** The treasury; with the sandbox, the hot wallet, which pays withdrawals from what was deposited. */
export const createSweepTarget =
  ({ treasury, signer }: OwnWalletsDeps) =>
  async (): Promise<SweepTarget | null> => {
    if (signer === null) return null
    if (treasury !== null) return { address: treasury, role: 'treasury' }
    return { address: await signer.address('hot'), role: 'hot_wallet' }
  }
