// The parts of chains that requests need: addresses, and which chains are on.
import { CHAIN_IDS, type ChainId, createAddressFor, findHalts, type Purpose } from '#chains'
import type { Resources } from '../resources.ts'

/** Null: no key of deposit addresses, or no chain is switched on. */
export function createOwnerAddress(
  { db, clock, adapters }: Resources,
  purpose: Purpose,
): ((ownerId: string) => Promise<string>) | null {
  const { addresses: deriver, chains } = adapters
  if (deriver === null || chains.length === 0) return null
  const addressFor = createAddressFor({ deriver, clock })
  return (ownerId) => db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
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
