// Every change goes through `changeCatalog`, which orders the changes of all processes, so that readers
// can follow them by number.
import { type Db, sql, type Tx } from '#platform/db'

const BEGIN_CHANGE = sql('catalog_begin_change', 'select catalog.begin_change() as seq')

/** One batch: its number is taken under the lock that orders all batches, and held until it commits. */
export const changeCatalog = <T>(db: Db, work: (tx: Tx, seq: bigint) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const [row] = await tx.query<{ seq: bigint }>(BEGIN_CHANGE)
    return work(tx, row?.seq ?? 0n)
  })
