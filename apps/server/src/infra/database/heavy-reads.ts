// Reads whose work grows with what a tenant owns. They run on connections of their own, and only some of
// them at once for each tenant: one tenant's reads never keep another's requests from the database.
import type { Db } from './db.ts'
import { createTenantShares, type ShareBounds } from './tenant-shares.ts'

export interface HeavyReads {
  /** Runs `read`, at once or after others of the same tenant. Throws BusyError as TenantShares does. */
  run<T>(tenantId: string, read: (db: Db) => Promise<T>): Promise<T>
}

export interface HeavyReadsOptions extends Omit<ShareBounds, 'atOnce'> {
  /** A pool that nothing else uses, with more connections than one tenant's share. */
  readonly db: Db
  /** Of one tenant. */
  readonly atOnce: number
}

export function createHeavyReads({ db, atOnce, ...bounds }: HeavyReadsOptions): HeavyReads {
  const shares = createTenantShares({ ...bounds, atOnce: () => atOnce })
  return { run: (tenantId, read) => shares(tenantId, () => read(db)) }
}
