// The event that a delivery sends.
import type { Queryable } from '#infra/database/db'
import { findAbout } from '#outbox'
import { findEventOfDelivery } from './store/deliveries.ts'

/** As its tenant knows it, and what it is about; null for an event that is not kept, or another tenant's. */
export async function findSentEvent(
  db: Queryable,
  delivery: { readonly id: string; readonly tenantId: string },
): Promise<{ readonly id: string; readonly subjectType: string } | null> {
  const number = await findEventOfDelivery(db, delivery)
  return number === null ? null : findAbout(db, number)
}
