// Our addresses: one for an owner and a purpose, on all chains, derived from the account xpub. No private key
// is anywhere near.
import { accountRefusal } from '#identity'
import type { Queryable, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Address } from '#kernel/chain'
import type { AddressDeriver } from './ports.ts'
import type { Purpose } from './read-transfers.ts'
import { findAddress, insertAddress, nextAddressIndex, sampleAddresses } from './store/addresses.ts'

/** Cheap enough for each start, and enough to notice another xpub. */
const SAMPLE_SIZE = 10

export type AddressFor = (
  tx: Tx,
  request: {
    readonly ownerId: string
    readonly purpose: Purpose
    /** It was not known before. */
    onMade?(address: Address): void
  },
) => Promise<Address>

/**
 * The address of an owner for a purpose, the same at every call. It is made at the first; of two first
 * calls at once one makes it, and the index of the other is left out. Refuses USER_NOT_FOUND for a closed
 * owner.
 */
export function createAddressFor({
  deriver,
  clock,
}: {
  readonly deriver: AddressDeriver
  readonly clock: Clock
}): AddressFor {
  return async (tx, { ownerId, purpose, onMade }) => {
    const known = await findAddress(tx, ownerId, purpose)
    if (known !== null) return known
    const hdIndex = await nextAddressIndex(tx)
    const address = deriver.address(hdIndex)
    onMade?.(address)
    return insertAddress(tx, { ownerId, purpose, hdIndex, address, at: clock.now() }).catch(
      (error: unknown) => {
        throw accountRefusal(error) ?? error
      },
    )
  }
}

/**
 * Derives a few random addresses again and returns those that differ. With another xpub than the one that
 * they were made with, deposits would go to addresses that nothing can sweep.
 */
export async function findForeignAddresses(
  db: Queryable,
  deriver: AddressDeriver,
): Promise<Address[]> {
  const sample = await sampleAddresses(db, SAMPLE_SIZE)
  return sample
    .filter(({ hdIndex, address }) => deriver.address(hdIndex) !== address)
    .map(({ address }) => address)
}
