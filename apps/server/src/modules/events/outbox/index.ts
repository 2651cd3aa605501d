// The outbox: events written in the transaction of the change that they report (`outbox.add` in SQL),
// dispatched in order to their consumers, read back by tenants and watched by operators.
export {
  createDispatch,
  type DispatchedEvent,
  EVENTS_WAIT,
  type EventConsumer,
  isDispatchBehind,
} from './dispatch.ts'
export { type EventFollower, type FollowedEvent, followEvents } from './follow.ts'
export {
  type EventInOrder,
  findFirstEventAt,
  readEventsInOrder,
} from './in-order.ts'
export { beginNumbersOf, EVENTS_BY_MONTH, fillKeys } from './partitions.ts'
export { LAST_POSITION, readOn } from './read-on.ts'
export {
  type EventQuery,
  type EventSlice,
  type FoundEvent,
  findAbout,
  findEvent,
  findEventsById,
  type InspectedEvent,
  inspectEvent,
  keyOfQuery,
  listEvents,
  listEventsByKey,
  listUndispatched,
  newestEventId,
  type OutboxEvent,
  type OutboxLag,
  type RecordedEvent,
  readLag,
} from './store.ts'
export {
  DISPATCH_CHANNEL,
  type EventWatch,
  type EventWatchDeps,
  type Waiter,
  watchEvents,
} from './watch.ts'
