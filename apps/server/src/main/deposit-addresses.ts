// From which key deposit addresses follow, and the check that it is the one of those that were handed out.
import { type AddressDeriver, findForeignAddresses } from '#chains'
import type { Db } from '#infra/database/db'
import { CannotStart } from '#infra/process/cannot-start'
import { createAddressDeriver } from '../adapters/hd-addresses/index.ts'
import type { Config } from './config.ts'
import { depositXpubOf, readWalletSeed } from './wallet-seed.ts'

/** Null: DEPOSIT_XPUB is not set, and no address is handed out. */
export function openAddressDeriver(config: Config): AddressDeriver | null {
  if (config.depositXpub !== null) return createAddressDeriver(config.depositXpub.reveal())
  if (!config.isDemo) return null
  return createAddressDeriver(depositXpubOf(readWalletSeed(config.dataDir)))
}

/** With another key, money would go to addresses that nothing can sweep. */
export async function refuseOtherXpub(db: Db, deriver: AddressDeriver | null): Promise<void> {
  const foreign = deriver === null ? [] : await findForeignAddresses(db, deriver)
  if (foreign.length === 0) return
  throw new CannotStart(
    `DEPOSIT_XPUB is not the key of the deposit addresses in the database: ${foreign[0]} does not ` +
      'follow from it. With the sandbox the key follows from `wallet-seed` in DATA_DIR.',
  )
}
