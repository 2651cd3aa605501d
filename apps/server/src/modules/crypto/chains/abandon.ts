// Gives up transfers whose block was replaced and that did not come back. A pending one fails; one that was
// credited is taken back, although the wallet may be negative then. A small one that was credited together
// with others takes their credit along: the others wait again until they reach the minimum.

import { type Db, type Tx, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Address } from '#kernel/chain'
import type { ChainNode } from './ports.ts'
import { postReturn } from './post.ts'
import { findCursor, findHalt } from './store/chains.ts'
import { dissolveDust } from './store/dust.ts'
import { abandonTransfer, listReplacedSince, type Transfer } from './store/transfers.ts'
import { handlerFor, type TransferHandlers } from './transfer-handler.ts'

const GONE_AFTER_MS = 2 * 3_600_000
/** Scanned above the block that it was in: most come back in one of these. */
const BLOCKS_AFTER = 3n
/** Behind the node, when a scanner has caught up. */
const MOST_BEHIND = 100n
const TRANSFERS_A_RUN = 100

export interface AbandonDeps {
  readonly db: Db
  readonly clock: Clock
  readonly node: Pick<ChainNode, 'chain' | 'head'>
  readonly handlers: TransferHandlers
  readonly treasury: Address | null
  /** It cannot be taken back, because its owner has paid it out: our loss, and an operator's decision. */
  onOverdrawn(transfer: Transfer): Promise<void>
}

/**
 * What was given up; of the credited ones the money is taken back. Time alone proves nothing: the scanner has
 * to have looked for them in the blocks of that time.
 */
export async function abandonReplaced(deps: AbandonDeps): Promise<readonly Transfer[]> {
  const { db, clock, handlers, treasury, onOverdrawn } = deps
  const abandoned: Transfer[] = []
  for (const transfer of await listGone(deps)) {
    const abandon = db.transaction((tx) =>
      giveUp(tx, { handlers, treasury }, transfer, clock.now()),
    )
    try {
      if (await abandon) abandoned.push(transfer)
    } catch (error) {
      if (violatedConstraint(error) !== 'no_overdraft') throw error
      await onOverdrawn(transfer)
    }
  }
  return abandoned
}

async function listGone({ db, clock, node }: AbandonDeps): Promise<readonly Transfer[]> {
  const { chain } = node
  if ((await findHalt(db, chain)) !== null) return []
  const cursor = await findCursor(db, chain)
  if (cursor === null) return []
  const gone = await listReplacedSince(db, chain, {
    before: new Date(clock.now().getTime() - GONE_AFTER_MS),
    below: cursor.number - BLOCKS_AFTER,
    limit: TRANSFERS_A_RUN,
  })
  if (gone.length === 0) return []
  // While the node is away, or the scanner catches up, they may be in a block that is not scanned yet.
  const head = await node.head().catch(() => null)
  return head !== null && head.number - cursor.number <= MOST_BEHIND ? gone : []
}

/** False: it is back in the chain, or was decided, since it was read. */
async function giveUp(
  tx: Tx,
  { handlers, treasury }: Pick<AbandonDeps, 'handlers' | 'treasury'>,
  transfer: Transfer,
  at: Date,
): Promise<boolean> {
  if (!(await abandonTransfer(tx, transfer, at))) return false
  const { id, state, dustBatchId } = transfer
  const handler = handlerFor(handlers, transfer.purpose)
  if (state === 'pending') await handler.fail(tx, id, 'chain_reorg', at)
  else await postReturn(tx, { handlers, treasury }, transfer, at)
  if (state === 'credited' && dustBatchId === null) await handler.reverse(tx, id, at)
  if (dustBatchId !== null && (await dissolveDust(tx, dustBatchId, at))) {
    await handler.reverse(tx, dustBatchId, at)
  }
  return true
}
