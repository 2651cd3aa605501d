// Dispatches events, delivers them to endpoints, skips the backlog of disabled endpoints, and removes
// attempts after 30 days.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { createDispatch } from '#outbox'
import {
  createDelivering,
  type DeliveryDeps,
  insertDeliveries,
  pruneAttempts,
  skipOpenDeliveries,
} from '#webhooks'

export function createDeliverWebhooks(deps: DeliveryDeps): Job[] {
  const dispatch = createDispatch({ ...deps, consumers: [insertDeliveries] })
  const deliver = createDelivering(deps)
  return [
    { name: 'dispatch-webhooks', everyMs: 100, work: dispatch },
    { name: 'deliver-webhooks', everyMs: 100, work: ({ signal }) => deliver(signal) },
    createSkip(deps),
    createPrune(deps),
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

/** Attempts, with the bytes that were sent, are kept for 30 days. */
const KEPT_MS = 30 * 24 * 3_600_000

const createPrune = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'prune-webhook-attempts',
  everyMs: 3_600_000,
  singleton: true,
  work: async () => (await pruneAttempts(db, new Date(clock.now().getTime() - KEPT_MS))) > 0,
})
