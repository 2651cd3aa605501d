// Audits the books from the command line: of the database given as the only argument or in DATABASE_URL,
// else of the embedded one that runs; on the replica in DATABASE_READ_URL while that is fresh. Prints each
// broken promise; exit code 1 when there is one, 2 when the books could not be read.
import { openDb, type Queryable, sql } from '../apps/server/src/infra/database/db.ts'
import type { Violation } from '../apps/server/src/infra/database/id-slices.ts'
import {
  createStaleReads,
  openReplica,
  type Replica,
} from '../apps/server/src/infra/database/replica.ts'
import { systemClock } from '../apps/server/src/infra/process/clock.ts'
import { type Config, readConfig } from '../apps/server/src/main/config.ts'
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
const { url, replica: set } = rest[0] === undefined ? found() : { url: rest[0], replica: null }

/** All of a large ledger takes its time. */
const TIMEOUT_MS = 30 * 60_000
const AUDIT = sql(
  'audit',
  `select invariant, detail from ledger.audit()
   union all select invariant, detail from trades.audit()
   union all select invariant, detail from trades.audit_fills()
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
let replica: Replica | null = null
try {
  replica = set && (await openSetReplica(set))
  const { violations, asOf } = await createStaleReads(
    replica,
    db,
  )(async (at) => ({
    violations: [...(await at.query<Violation>(AUDIT)), ...(await auditDeletedAccounts(at))],
    asOf: at.asOf,
  }))
  if (asOf) console.log(`The replica was read, which has everything up to ${asOf.toISOString()}.`)
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
  await replica?.close()
  await db.close()
}

function openSetReplica({ url, maxLagMs }: NonNullable<typeof set>): Promise<Replica> {
  const goOn = (why: unknown): void =>
    console.error(`The replica is not used (${why instanceof Error ? why.message : why}).`)
  return openReplica({
    ...{ url: url.reveal(), maxLagMs, primary: db, clock: systemClock },
    ...{ poolSize: 1, statementTimeoutMs: TIMEOUT_MS, onRead: () => {}, onMoved: goOn },
    onState: (state) => {
      if (state !== 'ok') goOn(state)
    },
  })
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

function found(): {
  readonly url: string
  readonly replica: Config['database']['replica']
} {
  try {
    const config = readConfig()
    return { url: findAnyDatabase(config).url, replica: config.database.replica }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return process.exit(2)
  }
}
