// What the queues of buying are asked: whether their jobs have something to do.
import type { DueQuestion } from '#infra/jobs/due-watch'
import type { AccountRef } from '../ports.ts'

/** Of one of our accounts. */
export const dueKeyOf = ({ market, account }: AccountRef): string => `${market} ${account}`

/** By market: items that are to be placed, whichever account covers them. */
export const PLACEMENTS_DUE: DueQuestion = {
  name: 'buying.placements',
  text: `select a.market from buying.market_account a where exists (
    select from buying.item i where i.market = a.market and i.work = 'place' and i.due_at <= $1
      and coalesce(i.leased_until <= $1, true))`,
}

/** By account: items whose orders are to be looked at. */
export const LOOK_UPS_DUE: DueQuestion = {
  name: 'buying.look_ups',
  text: `select a.market || ' ' || a.name from buying.market_account a where exists (
    select from buying.item i
    where i.market = a.market and i.market_account = a.name and i.work = 'follow' and i.due_at <= $1
      and coalesce(i.leased_until <= $1, true))`,
}

/** By account: cancels that a request left. */
export const CANCELS_DUE: DueQuestion = {
  name: 'buying.cancels',
  text: `select a.market || ' ' || a.name from buying.market_account a where exists (
    select from buying.supplier_order o
    where o.market = a.market and o.market_account = a.name and o.cancel_due_at <= $1)`,
}

/** By market: items that wait, which another market may cover. */
export const PLACEMENTS_WAIT: DueQuestion = {
  name: 'buying.waiting',
  text: `select a.market from buying.market_account a where exists (
    select from buying.item i where i.market = a.market and i.work = 'place')`,
}
