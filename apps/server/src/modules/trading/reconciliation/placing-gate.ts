// The gates in front of purchases, of offers to sellers and of payments on chains. After a restore or an
// asynchronous failover the database may have lost the newest intents. It would place their items again under
// the same ids, which not every market refuses, offer a sell again whose items the seller has given already,
// and pay a withdrawal again with the next nonce. So a gate closes when the database does not know our mark,
// and when it changes its history, unless every process finds in it what it has noted outside (keep-open.ts).
// One opens when the market's own statement, what the bots list as sent, or the nonces of our wallets have
// been compared with what we know.

import { type ListedItem, listKeys, releasePlacements } from '#buying'
import type { Db, Tx } from '#infra/database/db'
import type { RecoveryMark } from '#infra/database/recovery-mark'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { type Bots, listHeldBack, releaseOffers } from '#selling'
import { offerSubject } from './case.ts'
import { closeGate } from './close-gate.ts'
import {
  createConfirmation,
  createDecision,
  type KeepingDeps,
  noteLostOrders,
} from './keep-open.ts'
import { matchLostOffers, type SentOfBot } from './lost-offers.ts'
import { type Opening, openUnchanged } from './open-gate.ts'
import type { StatementAnswer, StatementLine, Statements } from './ports.ts'
import { clearCases } from './store/cases.ts'
import {
  BOTS,
  findGate,
  type Gate,
  type GateName,
  lockGate,
  OPEN,
  PAYMENTS,
  saveGate,
} from './store/gates.ts'

export interface PlacingGateDeps extends KeepingDeps {
  readonly mark: RecoveryMark
}

/**
 * Whether purchases may be placed at a market now, with one of our accounts there or, without a name, with
 * all of them. Asked before each claim, not remembered: a database that
 * fails over between two claims has a new history at the second. Closes the gate when it must be.
 */
export function createPlacingGate(
  deps: PlacingGateDeps,
): (market: GateName, account?: string) => Promise<boolean> {
  const { db, mark, markets, intents } = deps
  const confirm = createConfirmation(deps)
  const decide = createDecision(deps)
  const gatedOf = (market: GateName) =>
    assertDefined(
      markets.find(({ id }) => id === market),
      'a gate that this process decides on',
    )
  let noting: Promise<void> | null = null
  return async (market, account) => {
    const [gate, { history, isKnown }] = await Promise.all([findGate(db, market), mark.look(db)])
    if (!isKnown) {
      noting ??= noteLostOrders(deps, history).finally(() => {
        noting = null
      })
      await noting
      const why = { reason: 'mark not found', accounts: null } as const
      for (const each of markets) await closeGate(deps, each, { history, ...why })
      // Only now may the lost mark be replaced: until here it is the evidence.
      await mark.advance()
      await intents.confirm(history)
      return false
    }
    if (intents.confirmed() === history && gate?.history === history) {
      return (
        gate.closedAt === null || (account !== undefined && gate.openAccounts.includes(account))
      )
    }
    // What this process sent comes first, whatever the others have decided while it was away.
    await confirm(history)
    if (gate === null) await db.transaction((tx) => openFirst(tx, market, history))
    else if (gate.history !== history) await decide(gatedOf(market), history)
    return false
  }
}

/** A database that never placed anything has lost nothing. */
async function openFirst(tx: Tx, market: GateName, history: string): Promise<void> {
  if ((await lockGate(tx, market)) !== null) return
  await saveGate(tx, { market, history, ...OPEN })
}

export interface OpeningDeps {
  readonly db: Db
  readonly clock: Clock
  /** Of every account of ours at one market. */
  readonly statements: readonly [Statements, ...Statements[]]
}

/** As long as an order can change: a hold lasts a week. */
const WINDOW_MS = 9 * 24 * 3_600_000

/**
 * Compares the statements of our accounts at a market with the items that were held back. An account whose
 * statement is whole places again what has come since the closing: all that it had bought is known. What was
 * held back waits for the statements of all accounts, because any may have bought it; then the gate opens.
 */
export async function openPlacingGate(
  { db, clock, statements }: OpeningDeps,
  signal?: AbortSignal,
): Promise<Opening> {
  const market = statements[0].id
  const settleMs = Math.max(...statements.map(({ traits }) => traits.settleMs))
  const gate = await findGate(db, market)
  if (gate === null || gate.closedAt === null) return { kind: 'open' }
  const askedAt = clock.now()
  if (askedAt.getTime() - gate.closedAt.getTime() < settleMs) {
    return { kind: 'settling' }
  }
  const from = new Date(askedAt.getTime() - WINDOW_MS)
  const problems = await findUnread(db, statements)
  const lines: AccountLine[] = []
  const compared: string[] = []
  for (const { account, read } of statements) {
    const statement = await read(from, { requestId: newId(), ...(signal && { signal }) })
    const why = problemOf(statement)
    if (why !== null) problems.push({ account, why })
    else if (statement.kind === 'read') {
      compared.push(account)
      lines.push(...statement.lines.map((line) => ({ ...line, account })))
    }
  }
  if (problems.length > 0) {
    await openFor(db, gate, compared)
    const isAlone = statements.length === 1 && problems[0]?.account === statements[0].account
    const details = problems.map(({ account, why }) =>
      isAlone ? why : `account ${account}: ${why}`,
    )
    return { kind: 'unavailable', detail: details.join('; ') }
  }
  const listed = listedItems(gate, lines)
  const ids = new Set(listed.map(({ itemId }) => itemId))
  const unlisted = gate.itemIds.filter((itemId) => !ids.has(itemId))
  return openUnchanged(db, gate, (tx) =>
    releasePlacements(tx, { market, listed, unlisted, at: askedAt }),
  )
}

interface Problem {
  readonly account: string
  readonly why: string
}

const problemOf = (statement: StatementAnswer): string | null => {
  if (statement.kind === 'unavailable') return statement.detail
  return statement.isWhole ? null : 'the statement is not whole: it does not show what is lacking'
}

/** Accounts of ours whose statements cannot be asked for. */
async function findUnread(db: Db, statements: OpeningDeps['statements']): Promise<Problem[]> {
  return (await listKeys(db)).flatMap(({ market, account, sealedKey }) => {
    if (market !== statements[0].id || statements.some((one) => one.account === account)) return []
    const why = sealedKey === null ? 'a restore has lost its key: add it again' : 'it is not opened'
    return [{ account, why }]
  })
}

/** Unless the gate was closed again, or opened by an operator, meanwhile. */
const openFor = (db: Db, gate: Gate, accounts: readonly string[]): Promise<void> =>
  db.transaction(async (tx) => {
    const locked = await lockGate(tx, gate.market)
    if (locked?.closedAt?.getTime() !== gate.closedAt?.getTime() || locked === null) return
    const openAccounts = [...new Set([...locked.openAccounts, ...accounts])].sort()
    if (openAccounts.length > locked.openAccounts.length)
      await saveGate(tx, { ...locked, openAccounts })
  })

export interface OffersOpeningDeps {
  readonly db: Db
  readonly clock: Clock
  readonly bots: Pick<Bots, 'list' | 'configured' | 'listSent'>
  /** An offer that a bot's list lacks so long after the closing was never sent. */
  readonly settleMs: number
  /** How long a user has for an offer that was found, from now on. */
  readonly offerMs: number
}

/**
 * Compares what every bot lists as sent with the sells that were held back, and opens the gate. A bot that
 * was added after the copy of the database counts, although it was never seen. One that was removed can be
 * asked no more, and a seller may still accept what it sent: a person looks, and has it forgotten.
 */
export async function openOffersGate({
  db,
  clock,
  bots,
  settleMs,
  offerMs,
}: OffersOpeningDeps): Promise<Opening> {
  const gate = await findGate(db, BOTS)
  if (gate === null || gate.closedAt === null) return { kind: 'open' }
  const askedAt = clock.now()
  if (askedAt.getTime() - gate.closedAt.getTime() < settleMs) return { kind: 'settling' }
  const since = new Date(gate.closedAt.getTime() - WINDOW_MS)
  const context = { requestId: newId() }
  const configured = await bots.configured()
  const seen = (await bots.list(context)).map(({ id }) => id)
  if (configured.length === 0 && seen.length + gate.itemIds.length > 0) {
    return { kind: 'unavailable', detail: 'no bot is configured' }
  }
  const removed = seen.filter((id) => !configured.includes(id))
  if (removed.length > 0 && gate.itemIds.length > 0) {
    const detail = `bot ${removed.join(', ')} was removed: what it sent is compared by a person`
    return { kind: 'unavailable', detail }
  }
  const lists: SentOfBot[] = []
  for (const id of configured) {
    const sent = await bots.listSent(id, since, context)
    if (sent.kind !== 'ok') return { kind: 'unavailable', detail: `bot ${id}: ${sent.detail}` }
    if (!sent.value.isWhole) {
      return { kind: 'unavailable', detail: `bot ${id}: its list of offers is not whole` }
    }
    lists.push({ botId: id, offers: sent.value.offers })
  }
  return openUnchanged(db, gate, async (tx) => {
    const at = clock.now()
    const offers = matchLostOffers(lists, await listHeldBack(tx))
    const expiresAt = new Date(at.getTime() + offerMs)
    const released = await releaseOffers(tx, { offers, at, expiresAt })
    // While the gate was closed they were offers without a sell.
    const subjects = offers.map(({ botId, offerId }) => offerSubject(botId, offerId).name)
    await clearCases(tx, { kinds: ['orphan_offer'], subjects, sources: ['statement'], at })
    return released
  })
}

export interface PaymentsOpeningDeps {
  readonly db: Db
  readonly clock: Clock
  /** What was sent before the closing is in a block, or known to a node, so long after it. */
  readonly settleMs: number
  /** Why a chain shows payments that we do not know; null: none does. Throws while a node is away. */
  findUnknownPayments(): Promise<string | null>
}

/**
 * Opens the gate in front of payments when every chain shows as many transactions of our wallets as we know
 * of: then none was lost. Otherwise an operator records the lost ones first.
 */
export async function openPaymentsGate({
  db,
  clock,
  settleMs,
  findUnknownPayments,
}: PaymentsOpeningDeps): Promise<Opening> {
  const gate = await findGate(db, PAYMENTS)
  if (gate === null || gate.closedAt === null) return { kind: 'open' }
  if (clock.now().getTime() - gate.closedAt.getTime() < settleMs) return { kind: 'settling' }
  const unknown = await findUnknownPayments().catch((error: unknown) =>
    error instanceof Error ? error.message : 'a node does not answer',
  )
  if (unknown !== null) return { kind: 'unavailable', detail: unknown }
  return openUnchanged(db, gate, async () => ({ followed: 0, resumed: 0 }))
}

type AccountLine = Pick<StatementLine, 'customId' | 'placedAt'> & { readonly account: string }

/** Our own id of an order begins with the id of its item; a later attempt has its number behind it. */
function listedItems({ itemIds }: Gate, lines: readonly AccountLine[]): ListedItem[] {
  const held = new Set(itemIds)
  const newest = new Map<string, ListedItem & { readonly placedAt: Date }>()
  for (const { customId, placedAt, account } of lines) {
    const itemId = customId?.slice(0, 36) ?? ''
    if (customId === null || !held.has(itemId)) continue
    const known = newest.get(itemId)
    if (known === undefined || placedAt > known.placedAt) {
      newest.set(itemId, { itemId, customId, account, placedAt })
    }
  }
  return [...newest.values()]
}

/**
 * An operator opens a gate without a comparison. Held back items are followed as lost answers; sells that
 * were held back are offered again.
 */
export async function forcePlacingGate(tx: Tx, market: GateName, at: Date): Promise<boolean> {
  const gate = await lockGate(tx, market)
  if (gate === null || gate.closedAt === null) return false
  if (market === BOTS) await releaseOffers(tx, { offers: [], at, expiresAt: at })
  await saveGate(tx, { ...gate, ...OPEN })
  return true
}
