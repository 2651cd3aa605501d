// Placing: a turn at the market is waited for, an item is claimed for it and has its intent committed, and
// only then is the supplier called. What is recorded of the answer depends on whether the item still waits
// for it.

import { type Db, sqlState } from '#infra/database/db'
import { createGatedLoop } from '#infra/jobs/gated-loop'
import { createSendGuard, type IntentLog, type SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import { beginFor, traced } from '#infra/tracing/tracing'
import { assertDefined } from '#kernel/assert'
import type { Cents, Mills } from '#kernel/money'
import type { OnCase } from '#trades'
import type { WorkItem } from './item.ts'
import { closeAccount, noteReading, questionAccount } from './keep-account.ts'
import type {
  AccountRef,
  FailureCode,
  Market,
  MarketId,
  PurchaseAnswer,
  PurchaseTurn,
  Withheld,
} from './ports.ts'
import { applyStep, transactionOf } from './step.ts'
import { forgetRefusals, readFigures } from './store/accounts.ts'
import { endUnplaced } from './store/cancel.ts'
import {
  beginOrder,
  type ClaimedItem,
  claimPlacements,
  hasPlacements,
  listOverdue,
  type NotedItem,
  postponePlacement,
  recordOrder,
  releaseClaim,
  reschedule,
} from './store/orders.ts'
import { replaceListing } from './store/quick-buys.ts'
import { reportIfUnmatched } from './unmatched-purchase.ts'

export interface PlacingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: Market
  /** Whether the operator and the market's health allow purchases there now; our account is asked apart. */
  isMarketAvailable(): Promise<boolean>
  /** False while items that wait may have been placed already: nothing is placed, and none is failed. */
  mayPlace?(): Promise<boolean>
  /** Notes each order before it leaves, for the case that the database loses it. */
  readonly intents?: IntentLog<OrderIntent>
  readonly holdMs: number
  /**
   * How long a claim lasts, and from its order's begin on how long its call may take: longer than the
   * market's own deadline. After it another worker takes over; what was begun is looked up at the supplier.
   */
  readonly leaseMs: number
  /** An item that could not be placed for so long fails with MARKET_UNAVAILABLE: 15 minutes. */
  readonly giveUpMs: number
  /**
   * Why an item must not be bought at what it asks: a price that must be an error. Such an item fails as
   * unavailable and is refunded, and its listing is not sold again. Null when there is no objection.
   */
  checkPrice?(item: WorkItem): Promise<string | null>
  /** Purchases under way at once in this process. */
  readonly concurrency: number
  onAnswer?(item: WorkItem, answer: PurchaseAnswer): void
  /** A claimed item waits again: its purchase never reached the market. */
  onPutBack?(reason: PutBackReason): void
  readonly onCase: OnCase
}

export type PutBackReason = Withheld | 'not_reached'

interface Placement {
  readonly item: ClaimedItem
  readonly turn: PurchaseTurn
}

/** Works until nothing is due and nothing is under way, or the signal says stop. */
export function createPlacing(deps: PlacingDeps): (signal: AbortSignal) => Promise<boolean> {
  const { db, clock, market, giveUpMs } = deps
  const rest = createRest(clock)
  const place = async ({ item, turn }: Placement): Promise<void> => {
    try {
      await placeOne(deps, item, turn)
    } finally {
      turn.giveBack()
    }
  }
  return createGatedLoop<Placement>({
    concurrency: deps.concurrency,
    isPaced: true,
    isDue: async () => {
      const at = clock.now()
      if (rest.isOn()) return false
      return hasPlacements(db, { ...refOf(market), at, placeableSince: later(at, -giveUpMs) })
    },
    isOpen: () => isOpen(deps),
    claim: async (limit, signal) => {
      await failOverdue(deps)
      return claimInTurn(deps, { limit, signal, rest })
    },
    keyOf: () => market.id,
    work: (placement) => {
      const span = beginFor(placement.item.requestId, 'place order')
      span?.set('tradepost.item_id', placement.item.id)
      return traced(span, place, placement)
    },
  })
}

const refOf = ({ id, account }: Market): AccountRef => ({ market: id, account })

const isOpen = async ({ mayPlace }: PlacingDeps): Promise<boolean> => (await mayPlace?.()) ?? true

/** While a market gives no turns, it is asked no more than this often. */
const MAX_REST_MS = 1_000

interface Rest {
  begin(ms: number): void
  isOn(): boolean
}

function createRest(clock: Clock): Rest {
  let from = 0
  let forMs = 0
  return {
    begin: (ms) => {
      from = clock.now().getTime()
      forMs = Math.min(ms, MAX_REST_MS)
    },
    // A clock that was set back ends it too.
    isOn: () => Math.abs(clock.now().getTime() - from) < forMs,
  }
}

/** Turns first, items second: an item that is claimed without a turn would only be put back. */
async function claimInTurn(
  deps: PlacingDeps,
  { limit, signal, rest }: { limit: number; signal: AbortSignal; rest: Rest },
): Promise<Placement[]> {
  const { db, clock, market } = deps
  if (!(await deps.isMarketAvailable())) return []
  const answer = await market.takeTurns(limit, { requestId: `place-${market.id}`, signal })
  if (answer.kind === 'not-sent') {
    const { account, detail, retryAfterMs } = answer
    rest.begin(retryAfterMs)
    if (account)
      await closeAccount(db, refOf(market), { because: account, detail, at: clock.now() })
    return []
  }
  const { turns } = answer
  let items: ClaimedItem[] = []
  try {
    // The gate may have closed during the wait.
    if (!signal.aborted && (await isOpen(deps))) items = await claim(deps, turns.length)
  } finally {
    for (const turn of turns.slice(items.length)) turn.giveBack()
  }
  return items.map((item, i) => ({ item, turn: assertDefined(turns[i], 'a turn for each item') }))
}

function claim(deps: PlacingDeps, limit: number): Promise<ClaimedItem[]> {
  const at = deps.clock.now()
  return claimPlacements(deps.db, {
    ...refOf(deps.market),
    limit,
    at,
    leaseUntil: new Date(at.getTime() + deps.leaseMs),
    placeableSince: new Date(at.getTime() - deps.giveUpMs),
  })
}

async function placeOne(deps: PlacingDeps, item: ClaimedItem, turn: PurchaseTurn): Promise<void> {
  const guard = guardOf(deps, item)
  const objection = (await deps.checkPrice?.(item)) ?? null
  const given =
    objection === null ? await callMarket(deps, item, { guard, turn }) : refusedBy(objection)
  const { answer, isQuestioned } =
    objection === null
      ? await noteAccount(deps, item, given)
      : { answer: given, isQuestioned: false }
  if (answer.kind === 'not-sent') deps.onPutBack?.(answer.withheld ?? 'not_reached')
  if (guard.begunAt() === null) {
    if (answer.kind === 'not-sent') return release(deps, item, answer)
    // Refused without a call: the intent is committed all the same, under the claim.
    if (!(await guard.begin())) return
  }
  deps.onAnswer?.(item, answer)
  await record(deps, item, answer, assertDefined(guard.begunAt(), 'an order that was begun'))
  // The item is refunded first: it need not wait for this call.
  if (isQuestioned) await readBalance(deps, item)
}

/** Refused for who buys it, however little money is ours. */
const OF_THE_RECIPIENT: readonly FailureCode[] = [
  'TRADE_URL_INVALID',
  'STEAM_ACCOUNT_RESTRICTED',
  'BUYER_TRADE_RESTRICTED',
]

/** What the answer says of our account closes it before anything else is sent. */
async function noteAccount(
  { db, clock, market }: PlacingDeps,
  item: ClaimedItem,
  answer: PurchaseAnswer,
): Promise<{ readonly answer: PurchaseAnswer; readonly isQuestioned: boolean }> {
  const at = clock.now()
  if (answer.kind === 'accepted') await forgetRefusals(db, refOf(market))
  if (answer.kind !== 'refused' && answer.kind !== 'not-sent') {
    return { answer, isQuestioned: false }
  }
  const { account, detail } = answer
  if (account === 'forbidden' || account === 'currency') {
    await closeAccount(db, refOf(market), { because: account, detail, at })
    return { answer, isQuestioned: false }
  }
  const isUnsaid = answer.kind === 'refused' && account === undefined
  // A refusal that does not name the balance, while the balance is below the price, is ours all the same.
  const isShort = isUnsaid && (await isBelow(db, refOf(market), item.sourcingMills))
  if (account !== 'no_funds' && !isShort) return { answer, isQuestioned: false }
  const refused = { ceilingMills: item.sourcingMills, detail, at }
  const isQuestioned = await questionAccount(db, refOf(market), refused)
  const isOurs = answer.kind === 'refused' && isShort && !OF_THE_RECIPIENT.includes(answer.code)
  return { answer: isOurs ? { ...answer, code: 'MARKET_UNAVAILABLE' } : answer, isQuestioned }
}

async function isBelow(db: Db, of: AccountRef, priceMills: Mills): Promise<boolean> {
  const { settledMills } = await readFigures(db, of)
  return settledMills !== null && settledMills < priceMills
}

/** Without an answer the question stays, and the next reading of the market's health decides it. */
async function readBalance({ db, clock, market }: PlacingDeps, item: ClaimedItem): Promise<void> {
  const askedAt = clock.now()
  const balance = await market.balance({ requestId: item.requestId })
  if (!('mills' in balance)) return
  const said = { kind: 'served', balanceMills: balance.mills, currency: 'USD' } as const
  await noteReading(db, refOf(market), { reading: { askedAt, said }, at: clock.now() })
}

interface GuardedOrder extends SendGuard {
  /** When the intent was committed; null before. */
  begunAt(): Date | null
}

/** The intent is committed under the claim, and its lease covers the call from then on. */
function guardOf(
  { db, clock, market, leaseMs, intents }: PlacingDeps,
  item: ClaimedItem,
): GuardedOrder {
  let begunAt: Date | null = null
  const guard = createSendGuard({
    db,
    clock,
    leaseMs,
    ...(intents && {
      noting: {
        isReady: intents.isReady,
        note: () =>
          begunAt !== null &&
          intents.note(intentOf(item, { begunAt, marketAccount: market.account })),
      },
    }),
    renew: async (lease) => {
      if (await beginOrder(db, item, lease, market)) begunAt = lease.at
      return begunAt !== null
    },
  })
  return { ...guard, begunAt: () => begunAt }
}

/** An order at a supplier, so that it can be looked for, and whose it is. */
export interface OrderIntent extends NotedItem {
  readonly market: MarketId
  /** Ours there. */
  readonly marketAccount: string
  readonly itemId: string
  readonly attempt: number
  readonly begunAt: Date
  readonly tradeUrl: string
  readonly rawListingId: string
  readonly sourcingMills: Mills
  readonly price: Cents
}

const intentOf = (
  item: ClaimedItem,
  begun: Pick<OrderIntent, 'begunAt' | 'marketAccount'>,
): OrderIntent => ({
  ...{ market: item.market, itemId: item.id, attempt: item.attempt, ...begun, ...item.noted },
  ...{ tradeUrl: item.tradeUrl, rawListingId: item.rawListingId },
  ...{ sourcingMills: item.sourcingMills, price: item.price },
})

const refusedBy = (detail: string): PurchaseAnswer => ({
  kind: 'refused',
  code: 'LISTING_UNAVAILABLE',
  detail,
})

function callMarket(
  { market }: PlacingDeps,
  item: ClaimedItem,
  held: { readonly guard: SendGuard; readonly turn: PurchaseTurn },
): Promise<PurchaseAnswer> {
  const url = new URL(item.tradeUrl)
  return market.place(
    {
      customId: item.customId,
      rawListingId: item.rawListingId,
      marketHashName: item.marketHashName,
      ceilingMills: item.sourcingMills,
      partner: Number(url.searchParams.get('partner')),
      token: url.searchParams.get('token') ?? '',
    },
    { requestId: item.requestId, ...held },
  )
}

const release = (
  { db, clock }: PlacingDeps,
  item: ClaimedItem,
  { retryAfterMs }: { readonly retryAfterMs: number },
): Promise<void> => releaseClaim(db, item, new Date(clock.now().getTime() + retryAfterMs))

async function record(
  deps: PlacingDeps,
  item: ClaimedItem,
  answer: PurchaseAnswer,
  begunAt: Date,
): Promise<void> {
  const { db, clock, market } = deps
  const at = clock.now()
  switch (answer.kind) {
    case 'accepted':
      return recordAccepted(deps, item, answer)
    case 'refused':
      return recordRefusal(deps, item, answer)
    case 'unknown':
      // The followers have the item now; they ask the supplier until they are sure.
      await recordOrder(db, orderOf(item), { state: 'unknown', detail: answer.detail })
      await reschedule(db, [{ id: item.id, dueAt: later(at, market.traits.pollMs) }], at)
      return
    case 'not-sent':
      await postponePlacement(db, item.id, {
        detail: answer.detail,
        dueAt: later(at, answer.retryAfterMs),
        begunAt,
      })
  }
}

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds)

const orderOf = ({ id, customId }: ClaimedItem) => ({ itemId: id, customId })

/** An answer may come when its item has ended without the order: then the order is an unmatched purchase. */
async function recordAccepted(
  deps: PlacingDeps,
  item: ClaimedItem,
  { orderId, paidMills }: Extract<PurchaseAnswer, { kind: 'accepted' }>,
): Promise<void> {
  const { db, clock, market, holdMs } = deps
  const at = clock.now()
  const isRecorded = await transactionOf(db, item, async (tx) => {
    if (!(await recordOrder(tx, orderOf(item), { state: 'placed', orderId, paidMills })))
      return false
    // False when a follower has found the order and moved the item before.
    await applyStep(
      tx,
      item,
      { to: 'pending' },
      { at, dueAt: later(at, market.traits.offerPollMs), holdMs },
    )
    return true
  })
  if (isRecorded) return
  await reportIfUnmatched(deps, {
    ...orderOf(item),
    market: item.market,
    orderId,
    paidMills,
    seen: 'accepted',
  })
}

/** Refused for what the listing is, not for who buys it: another listing may do. */
const OF_THE_LISTING: readonly FailureCode[] = [
  'LISTING_UNAVAILABLE',
  'PRICE_CHANGED',
  'NO_LISTING_AT_PRICE',
]
const REPLACE_ATTEMPTS = 4

/**
 * A quick-buy takes the next cheapest listing in its place; everything else ends here. Both are one commit
 * with the order's refusal: a worker that dies before it leaves an order to be looked up, and nothing is
 * replaced that might have been bought.
 */
async function recordRefusal(
  { db, clock, holdMs }: PlacingDeps,
  item: ClaimedItem,
  { code, detail }: Extract<PurchaseAnswer, { kind: 'refused' }>,
): Promise<void> {
  const at = clock.now()
  const settle = (isLastTry: boolean): Promise<void> =>
    transactionOf(db, item, async (tx) => {
      const replaced = OF_THE_LISTING.includes(code)
        ? await replaceListing(tx, item.id, { failure: code, detail }, { at, isLastTry })
        : 'other'
      if (replaced === 'replaced') return
      if (!(await recordOrder(tx, orderOf(item), { state: 'refused', detail }))) return
      const failure = replaced === 'none' ? 'NO_LISTING_AT_PRICE' : code
      await applyStep(tx, item, { to: 'failed', failure, detail }, { at, dueAt: at, holdMs })
    })
  for (let attempt = 1; ; attempt++) {
    const isLastTry = attempt === REPLACE_ATTEMPTS
    try {
      return await settle(isLastTry)
    } catch (error) {
      if (isLastTry || sqlState(error) !== 'PT423') throw error
    }
  }
}

async function failOverdue({ db, clock, market, giveUpMs }: PlacingDeps): Promise<void> {
  const at = clock.now()
  const overdue = await listOverdue(db, {
    market: market.id,
    createdBefore: new Date(at.getTime() - giveUpMs),
    limit: 100,
  })
  const end = { to: 'failed', failure: 'MARKET_UNAVAILABLE', detail: 'not placed in time' } as const
  // Checked again under the item's lock: a worker may have begun its order since.
  for (const { id } of overdue) await endUnplaced(db, [id], end, at)
}
