// The parts of chains that requests need: addresses, and which chains are on.
import { CHAIN_IDS, type ChainId, createAddressFor, findHalts, type Purpose } from '#chains'
import type { Intents } from '#infra/database/intents'
import { addressIntent } from '#reconciliation'
import type { Resources } from '../resources.ts'

export type AddressParts = Resources & { readonly intents: Pick<Intents, 'note'> }

interface OwnerAddressParts {
  readonly db: Resources['db']
  readonly clock: Resources['clock']
  readonly adapters: {
    readonly addresses: Resources['adapters']['addresses']
    readonly chains: readonly unknown[]
  }
  readonly intents: Pick<Intents, 'note'>
}

/** Null: no key of deposit addresses, or no chain is switched on. */
export function createOwnerAddress(
  { db, clock, adapters, intents }: OwnerAddressParts,
  purpose: Purpose,
): ((ownerId: string) => Promise<string>) | null {
  const { addresses: deriver, chains } = adapters
  if (deriver === null || chains.length === 0) return null
  const addressFor = createAddressFor({ deriver, clock })
  return async (ownerId) => {
    let made: string | null = null
    const onMade = (address: string): void => {
      made = address
    }
    const address = await db.transaction((tx) => addressFor(tx, { ownerId, purpose, onMade }))
    // Noted before it is answered: another account must not be given it after a failover that lost it.
    if (address === made && !intents.note(addressIntent({ address, accountId: ownerId }))) {
      throw new Error('a new address cannot be noted now, and is not handed out')
    }
    return address
  }
}

/** The chains that have a node and that no one has switched off, for what users are shown. */
export const createListChains =
  ({ db, adapters }: Resources): (() => Promise<ChainId[]>) =>
  async () => {
    const halts = await findHalts(db, CHAIN_IDS)
    const hasNode = (chain: ChainId): boolean =>
      adapters.chains.some(({ node }) => node.chain === chain)
    return CHAIN_IDS.filter((chain, i) => halts[i] === null && hasNode(chain))
  }
