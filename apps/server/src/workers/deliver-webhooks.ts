// Turns news into deliveries, delivers them, and forgets attempts after 30 days.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import { createDelivering, createDispatch, type DeliveryDeps, pruneAttempts } from '#webhooks'

export function createDeliverWebhooks(deps: DeliveryDeps): Job[] {
  const dispatch = createDispatch(deps)
  const deliver = createDelivering(deps)
  return [
    { name: 'dispatch-webhooks', everyMs: 100, work: dispatch },
    { name: 'deliver-webhooks', everyMs: 100, work: ({ signal }) => deliver(signal) },
    createPrune(deps),
  ]
}

/** Attempts, with the bytes that were sent, are kept for 30 days. */
const KEPT_MS = 30 * 24 * 3_600_000

const createPrune = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'prune-webhook-attempts',
  everyMs: 3_600_000,
  singleton: true,
  work: async () => (await pruneAttempts(db, new Date(clock.now().getTime() - KEPT_MS))) > 0,
})
