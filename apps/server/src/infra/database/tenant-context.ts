// The tenant for whom the statements of a request run. It follows the request through everything that it
// awaits, so that no function has to hand it on to the pool of connections.
import { AsyncLocalStorage } from 'node:async_hooks'

const tenants = new AsyncLocalStorage<string | null>()

export const withTenant = <T>(tenantId: string | null, work: () => T): T =>
  tenants.run(tenantId, work)

/** For what a request sets going and others use too: a batch, a value that is kept, the run of a loop. */
export const withoutTenant = <T>(work: () => T): T => tenants.run(null, work)

/** Null: no tenant's, or several tenants' work. */
export const tenantServed = (): string | null => tenants.getStore() ?? null
