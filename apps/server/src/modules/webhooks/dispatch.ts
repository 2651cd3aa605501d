// Fan-out: news of the outbox becomes deliveries, in order, by one process at a time.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { dispatchNews } from './store.ts'

const BATCH = 500

/** Does one round; true when there may be more to do at once. */
export const createDispatch =
  ({ db, clock }: { db: Db; clock: Clock }): (() => Promise<boolean>) =>
  async () => {
    const taken = await db.transaction((tx) => dispatchNews(tx, { limit: BATCH, at: clock.now() }))
    return taken === BATCH
  }
