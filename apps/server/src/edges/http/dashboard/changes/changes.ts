// Long polls of open pages: what has changed since a position, without the data, which each page reads by its
// own routes. The waits of pages have slots of their own, so that no integration loses one to an open tab.
import { dashboardRoutes, EVENTS_START } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { createSingleFlight } from '#infra/database/single-flight'
import type { Clock } from '#infra/process/clock'
import { isUuid } from '#kernel/id'
import type { ServiceWatch } from '#operations'
import {
  type EventQuery,
  type EventSlice,
  type EventWatch,
  findEvent,
  keyOfQuery,
  LAST_POSITION,
  listEvents,
  readOn,
} from '#outbox'
import { type DashboardOperations, operation } from '../operation.ts'

export interface ChangeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly watch: EventWatch
  readonly service: ServiceWatch
}

type Place = Pick<EventQuery, 'position' | 'id'>

/** Of one answer. A feed that is further is not caught up with: its reader reads everything anew. */
const MOST_EVENTS = 100

export function createChangeOperations({
  db,
  clock,
  watch,
  service,
}: ChangeDeps): Pick<DashboardOperations, 'followAccount' | 'followService'> {
  // The pages of one account wait for the same event, and are woken together.
  const slices = createSingleFlight<EventSlice>()
  const newestOf = async (tenantId: string): Promise<string> => {
    const newest = { direction: 'before', position: LAST_POSITION, types: null, limit: 1 } as const
    const { events } = await listEvents(db, { tenantId, ...newest })
    return events[0]?.id ?? EVENTS_START
  }
  /** Null: no event of this tenant, for example one of the account that was looked at before. */
  const placeOf = async (tenantId: string, after: string): Promise<Place | null> => {
    if (after === EVENTS_START) return { position: 0n }
    if (!isUuid(after)) return null
    return findEvent(db, { id: after, tenantId })
  }
  return {
    followAccount: operation(
      dashboardRoutes.followAccount,
      async ({ caller, query: { after, wait = 0 } }) => {
        const tenantId = caller.account.id
        const place = after === undefined ? null : await placeOf(tenantId, after)
        const nothing = { topics: [], subjects: [] }
        if (place === null) {
          return { ...nothing, position: await newestOf(tenantId), isMore: after !== undefined }
        }
        const slice = await readOn(
          { clock, watch, scan: (query) => slices(keyOfQuery(query), () => listEvents(db, query)) },
          {
            tenantId,
            position: place.position,
            id: place.id,
            direction: 'after',
            types: null,
            limit: MOST_EVENTS,
          },
          { waitMs: 1000 * wait, waiter: 'page' },
        )
        if (slice.hasMore) {
          return { ...nothing, position: await newestOf(tenantId), isMore: true }
        }
        return {
          position: slice.last?.id ?? after ?? EVENTS_START,
          topics: [...new Set(slice.events.map(({ eventType }) => eventType))],
          subjects: [...new Set(slice.events.map(({ subjectId }) => subjectId))],
          isMore: false,
        }
      },
    ),

    followService: operation(
      dashboardRoutes.followService,
      async ({ caller, query: { after = null, wait = 0 } }) => {
        const slot = caller.session.id
        const changes = await service.changesSince(after, { slot, durationMs: 1000 * wait })
        return { ...changes, topics: [...changes.topics], subjects: [], isMore: false }
      },
    ),
  }
}
