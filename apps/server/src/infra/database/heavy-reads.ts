// Reads whose work grows with what a tenant owns. They run on connections of their own, and only some of
// them at once for each tenant: one tenant's reads never keep another's requests from the database.
import type { Db } from './db.ts'
import { createStaleReads, type Replica, type StaleReads } from './replica.ts'
import { createTenantShares, type ShareBounds } from './tenant-shares.ts'

export interface HeavyReads {
  /**
   * Runs `read`, at once or after others of the same tenant, on whichever side they run. Throws BusyError as
   * TenantShares does.
   */
  run<T>(tenantId: string, read: (db: Db, staleReads: StaleReads) => Promise<T>): Promise<T>
}

export interface HeavyReadsOptions extends ShareBounds {
  /** A pool that nothing else uses, with more connections than one tenant's share. */
  readonly db: Db
  /** Null: none, and every read is the primary's. */
  readonly replica?: Replica | null
}

export function createHeavyReads({ db, replica = null, ...bounds }: HeavyReadsOptions): HeavyReads {
  const shares = createTenantShares(bounds)
  const staleReads = createStaleReads(replica, db)
  return { run: (tenantId, read) => shares(tenantId, () => read(db, staleReads)) }
}
