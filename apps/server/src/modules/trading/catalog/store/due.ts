// What the queue of the catalogue is asked.
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'

/** Whether listings were taken or given back, or sold, that are not counted yet. */
export const STOCK_CHANGED: DueQuestion = dueWhere(
  'catalog.news',
  'exists (select from catalog.taken_news) or exists (select from catalog.sale_news)',
)
