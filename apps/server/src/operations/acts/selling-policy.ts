// What the operator decides about the prices that our bots pay.
import { type Actor, changesOf } from '#audit'
import { type ItemPolicy, readPolicy, writeBand, writeItemPolicy, writePolicy } from '#selling'
import { type ActDeps, perform } from './act.ts'

type PolicyChange = Parameters<typeof writePolicy>[1]

/** What is left out stays. Refuses VALIDATION_FAILED for a least quote above the most. */
export const changePolicy = (
  deps: ActDeps,
  actor: Actor,
  { reason, ...change }: PolicyChange & { readonly reason?: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'selling.set_policy',
      subject: { type: 'selling_policy', id: null },
      details: { ...change, ...(reason !== undefined && { reason }) },
    },
    async (tx, at, note) => {
      note({ changes: changesOf(spelled(await readPolicy(tx)), spelled(change)) })
      await writePolicy(tx, change, at)
    },
  )

/** The settings of the policy, cents as text. */
const spelled = ({
  buying,
  leastQuote,
  mostQuote,
  offerSharePercent,
  waitingLimit,
}: PolicyChange): Readonly<Record<string, unknown>> => ({
  ...{ buying, offerSharePercent, waitingLimit },
  leastQuote: leastQuote?.toString(),
  mostQuote: mostQuote?.toString(),
})

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
      details: { discountBps },
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
      details: { ...policy },
    },
    (tx, at) => writeItemPolicy(tx, catalogItemId, policy, at),
  )
