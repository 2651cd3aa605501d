// Dispatches events, delivers them to endpoints, and skips the backlog of disabled endpoints.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { createDispatch, EVENTS_WAIT } from '#outbox'
import {
  createDelivering,
  DELIVERIES_DUE,
  type DeliveryDeps,
  insertDeliveries,
  skipOpenDeliveries,
} from '#webhooks'

export function createDeliverWebhooks(deps: DeliveryDeps): Job[] {
  const dispatch = createDispatch({ ...deps, consumers: [insertDeliveries] })
  const deliver = createDelivering(deps)
  return [
    {
      name: 'dispatch-webhooks',
      everyMs: 100,
      due: { question: EVENTS_WAIT },
      work: dispatch,
    },
    {
      name: 'deliver-webhooks',
      everyMs: 100,
      due: { question: DELIVERIES_DUE },
      work: ({ signal }) => deliver(signal),
    },
    createSkip(deps),
  ]
}

/** Rows of one statement: short enough that no other work waits for its locks. */
const SKIPPED_AT_ONCE = 1000

const createSkip = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'skip-webhooks',
  everyMs: 1000,
  singleton: true,
  work: async () => (await skipOpenDeliveries(db, { at: clock.now(), limit: SKIPPED_AT_ONCE })) > 0,
})
