// What blocks the final transfers of each chain now. A blocked transfer is not looked at in every round,
// and in the rounds between two looks it is blocked all the same.
import type { BlockReason, Confirmed } from '#chains'
import type { Clock } from '#infra/process/clock'

/** Longer than the pause between two looks; after it a transfer is no longer among the pending ones. */
const REMEMBERED_MS = 60_000

/** Takes what a round found, and returns one entry for each transfer that is blocked. */
export function createBlocked(
  clock: Clock,
): (chain: string, round: Pick<Confirmed, 'decided' | 'blocked'>) => BlockReason[] {
  const chains = new Map<
    string,
    Map<string, { readonly why: BlockReason; readonly atMs: number }>
  >()
  return (chain, { decided, blocked }) => {
    const known = chains.get(chain) ?? new Map()
    chains.set(chain, known)
    const atMs = clock.now().getTime()
    for (const id of decided) known.delete(id)
    for (const { transferId, why } of blocked) known.set(transferId, { why, atMs })
    for (const [id, one] of known) if (atMs - one.atMs > REMEMBERED_MS) known.delete(id)
    return [...known.values()].map(({ why }) => why)
  }
}
