// Following a tenant's events by requests: each reads on from where the last one ended.
import type { Clock } from '#infra/process/clock'
import type { EventQuery, EventSlice } from './store.ts'
import type { EventWatch, Waiter } from './watch.ts'

/** Beyond every event. */
export const LAST_POSITION = 2n ** 63n - 1n

export interface ReadOnDeps<Slice extends EventSlice> {
  readonly clock: Clock
  readonly watch: EventWatch
  scan(query: EventQuery): Promise<Slice>
}

/** Events after the position; when there are none, waits for one while there is time. */
export async function readOn<Slice extends EventSlice>(
  { clock, watch, scan }: ReadOnDeps<Slice>,
  query: EventQuery,
  { waitMs, waiter }: { readonly waitMs: number; readonly waiter: Waiter },
): Promise<Slice> {
  const startedMs = clock.now().getTime()
  let slice = await scan(query)
  while (slice.events.length === 0 && !slice.hasMore) {
    const { position, id = null } = slice.last ?? query
    const leftMs = startedMs + waitMs - clock.now().getTime()
    const hasEvents = await watch.wait({ tenantId: query.tenantId, position, id }, leftMs, waiter)
    if (!hasEvents) break
    const next = await scan({ ...query, position, id })
    slice = { ...next, last: next.last ?? slice.last }
  }
  return slice
}
