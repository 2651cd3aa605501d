// Resolving: a person says what a case was and what was done. Nothing else closes one.

import type { Queryable } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { closeCase, findCase } from './store/cases.ts'

export type Resolved = 'resolved' | 'not-found' | { readonly alreadyBy: string }

export async function resolveCase(
  { db, clock }: { readonly db: Queryable; readonly clock: Clock },
  caseId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<Resolved> {
  if (await closeCase(db, caseId, { by, reason, at: clock.now() })) return 'resolved'
  const found = await findCase(db, caseId)
  return found === null ? 'not-found' : { alreadyBy: found.resolvedBy ?? '' }
}
