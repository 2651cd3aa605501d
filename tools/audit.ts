// Audits the books from the command line: of the database given as the only argument or in DATABASE_URL,
// else of the embedded one that runs. Prints each broken promise; exit code 1 when there is one, 2 when the
// books could not be read.
import { openDb, type Queryable, sql } from '../apps/server/src/infra/database/db.ts'
import type { Violation } from '../apps/server/src/infra/database/id-slices.ts'
import { readConfig } from '../apps/server/src/main/config.ts'
import { findAnyDatabase } from '../apps/server/src/main/find-database.ts'
import { deletedAccountsPart } from '../apps/server/src/modules/accounts/identity/index.ts'
import { OPEN_BUSINESS } from '../apps/server/src/operations/acts/open-business.ts'
import { readOptions } from './options.ts'

const { rest } = readOptions({
  name: 'npm run audit:books',
  about: 'Audits the books of this database, of DATABASE_URL, or of the embedded one that runs.',
  rest: '[postgres://…]',
  options: {},
})
const url = rest[0] ?? found()

/** All of a large ledger takes its time. */
const TIMEOUT_MS = 30 * 60_000
const AUDIT = sql(
  'audit',
  `select invariant, detail from ledger.audit()
   union all select invariant, detail from trades.audit()
   union all select invariant, detail from buying.audit()
   union all select invariant, detail from selling.audit()
   union all select invariant, detail from deposits.audit()
   union all select invariant, detail from custody.audit()
   union all select invariant, detail from custody.audit_closings()
   union all select invariant, detail from chains.audit()
   union all select invariant, detail from chains.audit_transfers()
   union all select invariant, detail from chains.audit_sweeps()
   union all select invariant, detail from chains.audit_batches()
   union all select invariant, detail from chains.audit_dust()
   union all select invariant, detail from outbound.audit()
   union all select invariant, detail from payouts.audit()
   union all select invariant, detail from payouts.audit_withdrawals()
   union all select invariant, detail from payouts.audit_deposits()`,
)

const db = openDb({
  url,
  poolSize: 1,
  statementTimeoutMs: TIMEOUT_MS,
  applicationName: 'tradepost-audit',
})
try {
  const violations = [...(await db.query<Violation>(AUDIT)), ...(await auditDeletedAccounts(db))]
  for (const { invariant, detail } of violations) console.error(`BROKEN  ${invariant}: ${detail}`)
  console.log(
    violations.length === 0
      ? 'The books are right.'
      : `${violations.length} broken promises of the books.`,
  )
  process.exitCode = violations.length === 0 ? 0 : 1
} catch (error) {
  console.error(`The books could not be read: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
} finally {
  await db.close()
}

/** What no function of the database looks at: what is open is known to several modules. */
async function auditDeletedAccounts(db: Queryable): Promise<Violation[]> {
  const { audit } = deletedAccountsPart(OPEN_BUSINESS)
  const all: Violation[] = []
  let after: string | null = null
  do {
    const { violations, next }: Awaited<ReturnType<typeof audit>> = await audit(db, after)
    all.push(...violations)
    after = next
  } while (after !== null)
  return all
}

function found(): string {
  try {
    return findAnyDatabase(readConfig()).url
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return process.exit(2)
  }
}
