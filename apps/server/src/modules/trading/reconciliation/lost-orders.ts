// After a restore, the orders that were sent to a market and whose trades are gone are written to the
// database, by what the processes of this folder noted. An order at a market that no item stands behind has a
// name again, and a merchant's repeated buy can adopt it.
import {
  type AccountRef,
  findLostOrders,
  insertLostOrders,
  listLostOrders,
  nameAccounts,
  noteRestore,
} from '#buying'
import type { Db, Queryable } from '#infra/database/db'
import type { Intents } from '#infra/database/intents'
import { findNewestMark } from '#infra/database/recovery-mark'
import type { Clock } from '#infra/process/clock'
import type { Intent } from '#infra/process/intent-files'
import type { Finding } from './case.ts'
import { lostOrderOf } from './intent-kinds.ts'
import { resolveAdopted } from './store/cases.ts'

export interface RecordingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly intents: Pick<Intents, 'readAll'>
}

/** Clocks of processes may differ by so much. */
const CLOCKS_MS = 3_600_000
const AT_ONCE = 1000

/**
 * Asked before the recovery mark is advanced. How many orders were not known; repeated, it writes nothing.
 * An order whose item exists is left to the gate.
 */
export async function recordLostOrders(
  { db, clock, intents }: RecordingDeps,
  history: string,
): Promise<number> {
  const copyOf = await findNewestMark(db)
  // A database without a mark is no copy of one that has bought anything.
  if (copyOf === null) return 0
  const restoreId = await noteRestore(db, { history, copyOf, at: clock.now() })
  let count = 0
  for (const noted of intents.readAll(new Date(copyOf.getTime() - CLOCKS_MS))) {
    // An account that was added after the copy has lost its key, and its orders are looked for all the same.
    await nameAccounts(db, noted.flatMap(accountOf))
    const orders = noted.flatMap((intent) => lostOrderOf(intent) ?? [])
    for (let from = 0; from < orders.length; from += AT_ONCE) {
      const some = orders.slice(from, from + AT_ONCE)
      const lost = new Set(await findLostOrders(db, some))
      const unknown = some.filter(({ customId }) => lost.has(customId))
      if (unknown.length > 0) count += await insertLostOrders(db, restoreId, unknown)
    }
  }
  return count
}

const accountOf = ({ kind, gate, account }: Intent): AccountRef[] =>
  kind === 'order' && account !== undefined ? [{ market: gate, account: String(account) }] : []

const customIdsOf = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ kind, details: { customId } }) =>
    kind === 'orphan_purchase' && typeof customId === 'string' ? [customId] : [],
  )

/** An order that no item stands behind says whose it was, when a restore has lost its trade. */
export async function nameLostOrders(
  db: Queryable,
  findings: readonly Finding[],
): Promise<Finding[]> {
  const lost = await listLostOrders(db, customIdsOf(findings))
  const byId = new Map(lost.map((order) => [order.customId, order]))
  return findings.map((finding) => {
    const order = byId.get(String(finding.details.customId))
    if (order === undefined) return finding
    const { tenantId, accountId, userExternalId, externalId, description, price, currency } = order
    const named = { tenantId, accountId, userExternalId, externalId, priceCents: price, currency }
    const { marketHashName } = description
    return { ...finding, details: { ...finding.details, ...named, marketHashName } }
  })
}

/** A buy may have adopted an order after our orders were read, and before its case was there. */
export async function resolveAdoptedSince(
  { db, clock }: Pick<RecordingDeps, 'db' | 'clock'>,
  findings: readonly Finding[],
): Promise<void> {
  for (const { customId, market, tradeId } of await listLostOrders(db, customIdsOf(findings))) {
    if (tradeId !== null) await resolveAdopted(db, { customId, market, tradeId }, clock.now())
  }
}
