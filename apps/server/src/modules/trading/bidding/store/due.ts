// What the queues of market orders are asked.
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'

/** Whether any order is open or paused: without one there is nothing to match, to end or to look at. */
export const ORDERS_ALIVE: DueQuestion = dueWhere(
  'bidding.alive',
  "exists (select from bidding.market_order where status in ('open', 'paused'))",
)
