import { type Queryable, sql } from '#infra/database/db'
import { FIRST_ID, type Violation } from '#infra/database/id-slices'
import { type AuditPart, findOwnersWithMoney } from '#ledger'
import type { FindOpenBusiness } from './close.ts'

const NEXT_DELETED = sql(
  'identity.next_deleted',
  `select id from identity.account where status = 'deleted' and id > $1 order by id limit $2`,
)
const ACCOUNTS_A_SLICE = 1000

/** Deleted accounts have no money and nothing open: either would be stranded. */
export const deletedAccountsPart = (openBusiness: readonly FindOpenBusiness[]): AuditPart => ({
  name: 'deleted-accounts',
  audit: async (db, position) => {
    const values = [position ?? FIRST_ID, ACCOUNTS_A_SLICE]
    const ids = (await db.query<{ id: string }>(NEXT_DELETED, values)).map(({ id }) => id)
    if (ids.length === 0) return { violations: [], next: null }
    const violations: Violation[] = (await findOwnersWithMoney(db, ids)).map((detail) => ({
      invariant: 'a deleted account has no money',
      detail,
    }))
    for (const id of await findOpen(db, ids, openBusiness)) {
      violations.push({ invariant: 'a deleted account has nothing open', detail: id })
    }
    return { violations, next: ids.at(-1) ?? null }
  },
})

async function findOpen(
  db: Queryable,
  ids: readonly string[],
  openBusiness: readonly FindOpenBusiness[],
): Promise<string[]> {
  const found = await Promise.all(openBusiness.map((find) => find(db, ids)))
  return [...new Set(found.flat())]
}
