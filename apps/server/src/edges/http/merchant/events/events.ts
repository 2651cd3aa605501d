// The events of a merchant and its sub-users, read back: the data of webhooks for places where no webhook
// can arrive. An event that cannot be rendered is left out of a list, and the list goes on behind it.
import {
  EVENTS_KEPT_DAYS,
  EVENTS_START,
  type MerchantEvent,
  type MerchantEventData,
  merchantRoutes,
} from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { createSingleFlight } from '#infra/database/single-flight'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { timeOfId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import {
  type EventQuery,
  type EventSlice,
  type EventWatch,
  findEvent,
  keyOfQuery,
  LAST_POSITION,
  listEvents,
  type OutboxEvent,
  readOn,
} from '#outbox'
import type { RenderEvents } from '#wire/events/render'
import { eventView } from '#wire/merchant/event'
import { refuseField } from '../../shared/failure.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface EventDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readonly clock: Clock
  readonly watch: EventWatch
  readonly renderEvents: RenderEvents<MerchantEventData>
}

export function createEventOperations(
  deps: EventDeps,
): Pick<MerchantOperations, 'listMerchantEvents' | 'getMerchantEvent'> {
  const { db, clock, renderEvents } = deps
  const render = async (events: readonly OutboxEvent[]): Promise<MerchantEvent[]> => {
    const rendered = await renderEvents(events)
    return events.flatMap((event, i) => {
      const result = rendered[i]
      return result && !result.error ? [eventView(event, result.data)] : []
    })
  }
  const found = createSingleFlight<OutboxEvent | null>()
  const positionOf = async (
    tenantId: string,
    from: { readonly cursor: string } | { readonly after: string },
  ): Promise<Place> => {
    const [[name, id]] = Object.entries(from) as [[string, string]]
    const event = await found(`${tenantId} ${id}`, () => findEvent(db, { id, tenantId }))
    if (event) return event
    // Of one that is not kept any more: before the oldest that is.
    return isFromBefore(id, clock.now())
      ? BEFORE_ALL
      : refuseUnder(`/${name}`, 'known', 'is no event of this merchant')
  }
  const pages = createSingleFlight<Page>()
  /** Requests that wait for the same event are woken together: one read and one rendering serve them. */
  const read = (query: EventQuery): Promise<Page> =>
    pages(keyOfQuery(query), async () => {
      const slice = await scan(deps, query)
      return { ...slice, views: await render(slice.events) }
    })

  return {
    listMerchantEvents: operation(merchantRoutes.listMerchantEvents, async ({ caller, query }) => {
      const tenantId = caller.tenant.id
      const { after, cursor, limit = 25, type, wait } = query
      const types = type === undefined ? null : type.split(',')
      if (after === undefined) {
        if (wait !== undefined) refuseUnder('/wait', 'dependentRequired', 'needs `after`')
        const { position } = cursor === undefined ? NEWEST : await positionOf(tenantId, { cursor })
        const page = await read({ tenantId, direction: 'before', position, types, limit })
        const nextCursor = page.hasMore ? (page.last?.id ?? null) : null
        return { items: page.views, nextCursor }
      }
      if (cursor !== undefined) refuseUnder('/cursor', 'not', 'cannot be used with `after`')
      const { position, id } =
        after === EVENTS_START ? BEFORE_ALL : await positionOf(tenantId, { after })
      const page = await readOn(
        { ...deps, scan: read },
        { tenantId, direction: 'after', position, id, types, limit },
        { waitMs: 1000 * (wait ?? 0), waiter: 'key' },
      )
      const here = after === EVENTS_START ? null : after
      return { items: page.views, nextCursor: page.last?.id ?? here }
    }),

    getMerchantEvent: operation(merchantRoutes.getMerchantEvent, async ({ caller, params }) => {
      const event = await findEvent(db, { id: params.id, tenantId: caller.tenant.id })
      const [view] = await render([event ?? refuse('NOT_FOUND')])
      return assertDefined(view, 'the view of an event')
    }),
  }
}

type Place = Pick<EventQuery, 'position' | 'id'>

const BEFORE_ALL: Place = { position: 0n, id: null }
const NEWEST: Place = { position: LAST_POSITION }

/** So old that an event with this id may be gone. Whether there was one, and whose it was, is not known. */
function isFromBefore(id: string, now: Date): boolean {
  const time = timeOfId(id)
  return time !== null && time.getTime() < now.getTime() - EVENTS_KEPT_DAYS * DAY_MS
}

const DAY_MS = 24 * 3_600_000

interface Page extends EventSlice {
  readonly views: MerchantEvent[]
}

/** With a filter the database scans many events for a few. */
const scan = ({ db, heavyReads }: EventDeps, query: EventQuery): Promise<EventSlice> =>
  query.types === null
    ? listEvents(db, query)
    : heavyReads.run(query.tenantId, (heavyDb) => listEvents(heavyDb, query))

const refuseUnder = (pointer: string, rule: string, message: string): never =>
  refuseField({ in: 'query', pointer, rule, message })
