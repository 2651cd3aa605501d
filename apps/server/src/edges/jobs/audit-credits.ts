// Invariant I1 across modules: what chains has credited is a completed deposit of a user, or of a merchant's
// custody. Neither side knows the other.
import { listCredited } from '#chains'
import { findCompletedTransfers } from '#deposits'
import type { Queryable } from '#infra/database/db'
import type { IdSlice, Violation } from '#infra/database/id-slices'
import { findCompletedDeposits } from '#payouts'

export async function auditCredits(db: Queryable, slice: IdSlice): Promise<Violation[]> {
  const missing = await findMissing(db, slice)
  if (missing.length === 0) return []
  // Two statements see two moments: what was taken back in between is not credited any more.
  const still = new Set(await findMissing(db, slice))
  return missing
    .filter((id) => still.has(id))
    .map((id) => ({ invariant: 'a credited transfer is a completed deposit', detail: id }))
}

async function findMissing(db: Queryable, slice: IdSlice): Promise<string[]> {
  const credited = await listCredited(db, slice)
  const idsOf = (purpose: string): string[] =>
    credited.filter((one) => one.purpose === purpose).map(({ id }) => id)
  const found = new Set([
    ...(await findCompletedTransfers(db, idsOf('deposit'))),
    ...(await findCompletedDeposits(db, idsOf('payout_custody'))),
  ])
  return credited.flatMap(({ id }) => (found.has(id) ? [] : [id]))
}
