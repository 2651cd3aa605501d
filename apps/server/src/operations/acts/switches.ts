// What an operator switches on and off: trading as a whole, and single markets.
import { type Actor, changesOf } from '#audit'
import * as buying from '#buying'
import { setMarketEnabled } from '#catalog'
import type { ChainId } from '#chains'
import * as chains from '#chains'
import { recordBackup } from '#infra/database/backups'
import type { Tx } from '#infra/database/db'
import type { ActName } from '#kernel/act-name'
import type { MarketId } from '#kernel/market-id'
import { refuse } from '#kernel/refusal'
import { forcePlacingGate, type GateName } from '#reconciliation'
import * as trades from '#trades'
import { type ActDeps, perform } from './act.ts'

const TRADING = { type: 'trading', id: null }

/** New buys and sells are refused with SERVICE_DISABLED; trades under way go on. */
export const pauseTrading = (deps: ActDeps, actor: Actor, reason: string): Promise<void> =>
  perform(deps, actor, { act: 'trading.pause', subject: TRADING, details: { reason } }, (tx) =>
    trades.pauseTrading(tx, deps.clock, reason),
  )

export const resumeTrading = (deps: ActDeps, actor: Actor, reason: string): Promise<void> =>
  perform(deps, actor, { act: 'trading.resume', subject: TRADING, details: { reason } }, (tx) =>
    trades.resumeTrading(tx, deps.clock, reason),
  )

/** How many items of one merchant may wait at one market; null: any number. VALIDATION_FAILED below 200. */
export function setWaitingLimit(
  deps: ActDeps,
  actor: Actor,
  { limit, reason }: { readonly limit: number | null; readonly reason: string },
): Promise<void> {
  if (limit !== null && limit < LEAST_WAITING_LIMIT) refuse('VALIDATION_FAILED')
  return perform(
    deps,
    actor,
    { act: 'trading.waiting_limit', subject: TRADING, details: { limit, reason } },
    async (tx, at, note) => {
      note({ changes: changesOf({ limit: await buying.readWaitingLimit(tx) }, { limit }) })
      await buying.setWaitingLimit(tx, { limit, at })
    },
  )
}
/** A quick-buy asks for so many at most. */
const LEAST_WAITING_LIMIT = 200

/** A copy of the database that another program has taken, or that was restored, now. */
export const recordCopy = (
  deps: ActDeps,
  actor: Actor,
  { what, reason }: { readonly what: 'taken' | 'rehearsed'; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'backup.record', subject: { type: 'backup', id: null }, details: { what, reason } },
    (tx, at) => recordBackup(tx, what === 'taken' ? { takenAt: at } : { rehearsedAt: at }),
  )

/** A market that is off sells nothing; orders under way there are followed to their end. */
export const switchMarket = (
  deps: ActDeps,
  actor: Actor,
  { market, enabled, reason }: { market: MarketId; enabled: boolean; reason: string | null },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: enabled ? 'market.enable' : 'market.disable',
      subject: { type: 'market', id: market },
      details: { reason },
    },
    (tx, at) => setMarketEnabled(tx, { market, enabled, at }),
  )

/** Nothing is scanned, credited or swept on a halted chain. Refuses NOT_FOUND when it is halted. */
export const haltChain = (
  deps: ActDeps,
  actor: Actor,
  { chain, reason }: { chain: ChainId; reason: string },
): Promise<void> =>
  perform(deps, actor, chainAct('chain.halt', chain, reason), async (tx, at) => {
    if (!(await chains.haltChain(tx, chain, { reason, by: actor.id, at }))) refuse('NOT_FOUND')
  })

/** NOT_FOUND when it is not halted. */
export const resumeChain = (
  deps: ActDeps,
  actor: Actor,
  { chain, reason }: { chain: ChainId; reason: string },
): Promise<void> =>
  perform(deps, actor, chainAct('chain.resume', chain, reason), async (tx) => {
    if (!(await chains.resumeChain(tx, chain))) refuse('NOT_FOUND')
  })

/**
 * Names the transaction by which native coin came that only the balance of an address shows. A worker
 * compares it with the chain. Refuses NOT_FOUND when the address was not handed out.
 */
export const namePayment = (
  deps: ActDeps,
  actor: Actor,
  named: { chain: ChainId; address: string; txHash: string; reason: string },
): Promise<void> => {
  const { chain, address, txHash, reason } = named
  const details = { reason, address, txHash }
  const entry = { ...chainAct('chain.name_payment', chain, reason), details }
  return perform(deps, actor, entry, async (tx, at) => {
    if (!(await chains.namePayment(tx, chain, { address, txHash, at }))) refuse('NOT_FOUND')
  })
}

/** On or off; one that is already as asked for stays as it is, without an entry. */
export async function switchChain(
  deps: ActDeps,
  actor: Actor,
  { chain, enabled, reason }: { chain: ChainId; enabled: boolean; reason: string },
): Promise<void> {
  const isHalted = (await chains.findHalt(deps.db, chain)) !== null
  if (isHalted !== enabled) return
  await (enabled ? resumeChain : haltChain)(deps, actor, { chain, reason })
}

const chainAct = (act: ActName, chain: ChainId, reason: string) => ({
  act,
  subject: { type: 'chain', id: chain },
  details: { reason },
})

/**
 * Of a bot that is no longer ours: nothing waits for what it sent to be compared. Refuses NOT_FOUND for one
 * that was never seen.
 */
export const forgetBot = (
  deps: ActDeps & { readonly forget: (tx: Tx, bot: string) => Promise<boolean> },
  actor: Actor,
  { bot, reason }: { readonly bot: string; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'bot.forget', subject: { type: 'bot', id: bot }, details: { reason } },
    async (tx) => {
      if (!(await deps.forget(tx, bot))) refuse('NOT_FOUND')
    },
  )

/**
 * Opens the gate in front of a market's purchases, of offers to sellers or of payments, without a comparison.
 * Refuses NOT_FOUND when open.
 */
export const openPlacing = (
  deps: ActDeps,
  actor: Actor,
  { market, reason }: { market: GateName; reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'placing.open', subject: { type: 'market', id: market }, details: { reason } },
    async (tx, at) => {
      if (!(await forcePlacingGate(tx, market, at))) refuse('NOT_FOUND')
    },
  )
