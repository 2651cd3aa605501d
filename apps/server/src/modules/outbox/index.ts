// The outbox: news written in the transaction that made it (`outbox.add`), taken in order by its readers
// (`outbox.dispatch`). Those doors are SQL functions; here is what merchants read back and operators watch.
export { type FollowedNews, followNews, type NewsFollower } from './follow.ts'
export {
  type EventQuery,
  type EventSlice,
  findEvent,
  findEventByNumber,
  listEvents,
  listNews,
  type News,
  type NewsEvent,
  type OutboxLag,
  readLag,
} from './store.ts'
export { DISPATCH_CHANNEL, type NewsWatch, type NewsWatchDeps, watchNews } from './watch.ts'
