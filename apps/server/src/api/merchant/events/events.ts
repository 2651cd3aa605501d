// The news of a merchant and its sub-users, read back: what its webhooks tell, for where none can arrive.
import { EVENTS_START, type MerchantEvent, merchantRoutes } from '@tradepost/contract'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { refuse } from '#kernel/refusal'
import {
  type EventQuery,
  type EventSlice,
  findEvent,
  findEventByNumber,
  listEvents,
  type NewsEvent,
  type NewsWatch,
} from '#outbox'
import { findEventOfDelivery } from '#webhooks'
import { eventView } from '#wire/merchant/event'
import type { TradeNewsData } from '#wire/merchant/webhook'
import { refuseField } from '../../shared/failure.ts'
import { type Operation, operation } from '../../shared/operation.ts'

export interface EventDeps {
  readonly db: Db
  readonly clock: Clock
  readonly news: NewsWatch
  /** The data of each, from the state of now, in their order. */
  render(events: readonly NewsEvent[]): Promise<TradeNewsData[]>
}

export function createEventOperations(deps: EventDeps): Operation[] {
  const { db, render } = deps
  const views = async (events: readonly NewsEvent[]): Promise<MerchantEvent[]> => {
    const data = await render(events)
    return events.map((event, i) => eventView(event, data[i] as TradeNewsData))
  }

  return [
    operation(merchantRoutes.listMerchantEvents, async ({ caller, query }) => {
      const merchantId = caller.merchant.id
      const { after, cursor, limit = 25, type, wait } = query
      const types = type === undefined ? null : type.split(',')
      if (after === undefined) {
        if (wait !== undefined) refuseUnder('/wait', 'dependentRequired', 'needs `after`')
        const position = cursor === undefined ? LAST : await positionOf(db, merchantId, { cursor })
        const slice = await listEvents(db, {
          ...{ merchantId, direction: 'before', position, types, limit },
        })
        const nextCursor = slice.hasMore ? (slice.last?.id ?? null) : null
        return { items: await views(slice.events), nextCursor }
      }
      if (cursor !== undefined) refuseUnder('/cursor', 'not', 'cannot be used with `after`')
      const position = after === EVENTS_START ? 0n : await positionOf(db, merchantId, { after })
      const slice = await follow(
        deps,
        { merchantId, direction: 'after', position, types, limit },
        1000 * (wait ?? 0),
      )
      const here = after === EVENTS_START ? null : after
      return { items: await views(slice.events), nextCursor: slice.last?.id ?? here }
    }),

    operation(merchantRoutes.getMerchantEvent, async ({ caller, params }) => {
      const event = await find(db, { id: params.id, merchantId: caller.merchant.id })
      const [view] = await views([event ?? refuse('NOT_FOUND')])
      return view as MerchantEvent
    }),
  ]
}

/** Beyond every event. */
const LAST = 2n ** 63n - 1n

/** Reads on, and waits for something to read while there is time. */
async function follow(
  { db, clock, news }: EventDeps,
  query: EventQuery,
  waitMs: number,
): Promise<EventSlice> {
  const startedMs = clock.now().getTime()
  let slice = await listEvents(db, query)
  while (slice.events.length === 0 && !slice.hasMore) {
    const position = slice.last?.position ?? query.position
    const leftMs = startedMs + waitMs - clock.now().getTime()
    const hasNews = await news.wait({ merchantId: query.merchantId, position }, leftMs)
    if (!hasNews) break
    const next = await listEvents(db, { ...query, position })
    slice = { ...next, last: next.last ?? slice.last }
  }
  return slice
}

/** By its own id, or by that of a delivery: the `webhook-id` is what merchants have in their books. */
async function find(
  db: Db,
  { id, merchantId }: { readonly id: string; readonly merchantId: string },
): Promise<NewsEvent | null> {
  const event = await findEvent(db, { id, merchantId })
  if (event !== null) return event
  const number = await findEventOfDelivery(db, { id, merchantId })
  return number === null ? null : findEventByNumber(db, { number, merchantId })
}

async function positionOf(
  db: Db,
  merchantId: string,
  from: { readonly cursor: string } | { readonly after: string },
): Promise<bigint> {
  const [[name, id]] = Object.entries(from) as [[string, string]]
  const event = await find(db, { id, merchantId })
  return event?.position ?? refuseUnder(`/${name}`, 'known', 'is no event of this merchant')
}

const refuseUnder = (pointer: string, rule: string, message: string): never =>
  refuseField({ in: 'query', pointer, rule, message })
