// Status: which parts of the service work, since when, and notifying merchants of changes.
export { announceNext, NOTIFIED_AT_ONCE } from './announce.ts'
export { type Day, daysOf, HISTORY_DAYS, historyStart } from './days.ts'
export { judge, judgeSilence, keyOf, SILENCE_REASON } from './judge.ts'
export type { Component, ComponentKind, Period, Reading, Status } from './status.ts'
export {
  CHANGES_TO_ANNOUNCE,
  findJudgedAt,
  findNewestPeriod,
  listCurrent,
  listMarketFigures,
  listPeriodsAfter,
  listSince,
  type MarketFigures,
} from './store.ts'
