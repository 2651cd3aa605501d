// Gives up transfers whose block was replaced and that did not come back. A pending one fails; one that was
// credited is taken back, although the wallet may be negative then.
import type { Clock } from '#infra/clock'
import { type Db, violatedConstraint } from '#infra/db'
import type { Address } from '#kernel/chain'
import type { ChainId } from './chain.ts'
import { postReturn } from './post.ts'
import { type Sinks, sinkFor } from './sink.ts'
import { findHalt } from './store/chains.ts'
import { abandonTransfer, listOrphanedSince, type Transfer } from './store/transfers.ts'

const GONE_AFTER_MS = 2 * 3_600_000
const TRANSFERS_A_RUN = 100

export interface AbandonDeps {
  readonly db: Db
  readonly clock: Clock
  readonly chain: ChainId
  readonly sinks: Sinks
  readonly treasury: Address | null
  /** It cannot be taken back, because its owner has paid it out: our loss, and an operator's decision. */
  onOverdrawn(transfer: Transfer): Promise<void>
}

/** What was given up; of the credited ones the money is taken back. */
export async function abandonOrphaned({
  db,
  clock,
  chain,
  sinks,
  treasury,
  onOverdrawn,
}: AbandonDeps): Promise<readonly Transfer[]> {
  if ((await findHalt(db, chain)) !== null) return []
  const before = new Date(clock.now().getTime() - GONE_AFTER_MS)
  const abandoned: Transfer[] = []
  for (const transfer of await listOrphanedSince(db, chain, before, TRANSFERS_A_RUN)) {
    const abandon = db.transaction(async (tx) => {
      const at = clock.now()
      if (!(await abandonTransfer(tx, transfer, at))) return false
      const sink = sinkFor(sinks, transfer.purpose)
      if (transfer.state === 'pending') await sink.fail(tx, transfer.id, 'chain_reorg', at)
      else await postReturn(tx, { sinks, treasury }, transfer, at)
      if (transfer.state === 'credited') await sink.reverse(tx, transfer.id, at)
      return true
    })
    try {
      if (await abandon) abandoned.push(transfer)
    } catch (error) {
      if (violatedConstraint(error) !== 'no_overdraft') throw error
      await onOverdrawn(transfer)
    }
  }
  return abandoned
}
