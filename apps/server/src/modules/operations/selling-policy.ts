// What the operator decides about the prices that our bots pay.
import type { Actor } from '#audit'
import { type ItemPolicy, writeBand, writeItemPolicy, writePolicy } from '#selling'
import { type ActDeps, perform } from './act.ts'

export const changePolicy = (
  deps: ActDeps,
  actor: Actor,
  change: Parameters<typeof writePolicy>[1],
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'selling.set_policy', subject: { type: 'selling_policy', id: null }, facts: change },
    (tx, at) => writePolicy(tx, change, at),
  )

/** A null discount removes the band. */
export const changeBand = (
  deps: ActDeps,
  actor: Actor,
  { leastVolume, discountBps }: { leastVolume: number; discountBps: number | null },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'selling.set_band',
      subject: { type: 'selling_band', id: String(leastVolume) },
      facts: { discountBps },
    },
    (tx) => writeBand(tx, leastVolume, discountBps),
  )

/** A null policy removes the item's exception. */
export const changeItemPolicy = (
  deps: ActDeps,
  actor: Actor,
  catalogItemId: string,
  policy: (ItemPolicy & { readonly reason: string }) | null,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: policy === null ? 'selling.clear_item' : 'selling.set_item',
      subject: { type: 'catalog_item', id: catalogItemId },
      facts: { ...policy },
    },
    (tx, at) => writeItemPolicy(tx, catalogItemId, policy, at),
  )
