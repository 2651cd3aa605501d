// Calls with the key, which travels in the query. Market B has a budget for each kind of call. We keep it
// over all processes; when it says 429 all the same, that kind is left alone for as long as it says.

import type { ReserveSlot } from '#infra/database/call-slots'
import type { HttpClient, QueryValue } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { CallContext, PurchaseTurn, Withheld } from '#ports/buying'
import type { AccountAccess } from '../shared/account-access.ts'
import type { Breaker } from '../shared/breaker.ts'
import { callBudget } from '../shared/market-definition.ts'
import { createMinuteBudget, type MinuteBudget, sustainedOf } from '../shared/minute-budget.ts'
import { parseJson } from '../shared/reader.ts'
import { type Turn, UNLIMITED } from '../shared/turn.ts'
import { accountRefusal, type RawAnswer, retryAfterMs } from './purchase-answer.ts'
import type { MarketBSettings } from './settings.ts'

/** Calls that share one budget at market B. */
export type Budget = 'purchases' | 'look-ups' | 'searches' | 'account'
/** Cancels are counted with purchases, trade links with the account. Of that budget they may take a part. */
type Share = Budget | 'cancels' | 'links'

export interface Call {
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly budget: Budget
  readonly isCancel?: boolean
  readonly isLink?: boolean
  /** Sent as JSON; without it the call is a GET. */
  readonly body?: object
  /** How long it may wait for its turn; not at all when left out. */
  readonly patienceMs?: number
  readonly deadlineMs: number
  readonly maxBytes?: number
  readonly context: CallContext
  /** Of a call that moves money. */
  readonly guard?: SendGuard
  /** Of a call that was admitted before. */
  readonly turn?: PurchaseTurn
}

interface NotSent {
  readonly kind: 'not-sent'
  readonly detail: string
  readonly retryAfterMs: number
  readonly withheld?: Withheld
}

export type CallOutcome =
  | ({ readonly kind: 'answer' } & RawAnswer)
  | NotSent
  | { readonly kind: 'lost'; readonly detail: string }

export interface Calls {
  (call: Call): Promise<CallOutcome>
  /** Turns for purchases: one, or as many as are asked for where there is no limit. */
  takeTurns(most: number, patienceMs: number, context: CallContext): Promise<Turn[] | NotSent>
}

const RETRY_UNSENT_MS = 1_000
const PROBE_DEADLINE_MS = 5_000

/**
 * Calls in a minute, as shares of the ordinary sixty. The sheets do not say where purchases are counted,
 * so they and the account divide the ordinary budget between them: neither can starve the other. Of the
 * purchases' part cancels take one half at most, of the account's part trade links a quarter.
 */
const SHARES: Readonly<Record<Share, number>> = {
  purchases: 2 / 3,
  cancels: 1 / 3,
  account: 1 / 3,
  links: 1 / 12,
  'look-ups': 2,
  searches: 1 / 3,
}

/** Purchases that go one by one for long; null: there is no limit. */
export const purchasesPerMinute = ({
  callsPerMinute,
}: Pick<MarketBSettings, 'callsPerMinute'>): number | null => {
  const calls = shareOf(callsPerMinute, SHARES.purchases)
  return calls === 0 ? null : sustainedOf(calls)
}

/** At least one call, because 0 sets no limit. */
const shareOf = (callsPerMinute: number, share: number): number =>
  callsPerMinute === 0 ? 0 : Math.max(1, Math.floor(callsPerMinute * share))

export interface CallsDeps {
  readonly settings: MarketBSettings
  readonly http: HttpClient
  readonly clock: Clock
  readonly reserveSlot: ReserveSlot
  readonly breaker: Breaker
  readonly access: AccountAccess
}

export function createCalls(deps: CallsDeps): Calls {
  const { settings, http, clock, reserveSlot, breaker, access } = deps
  const quietUntilMs = new Map<Budget, number>()
  const budgetOf = (name: Share): MinuteBudget =>
    createMinuteBudget(callBudget(`market_b_${name}`, settings.account), {
      callsPerMinute: shareOf(settings.callsPerMinute, SHARES[name]),
      reserveSlot,
    })
  const budgets: Readonly<Record<Share, MinuteBudget>> = {
    purchases: budgetOf('purchases'),
    cancels: budgetOf('cancels'),
    account: budgetOf('account'),
    links: budgetOf('links'),
    'look-ups': budgetOf('look-ups'),
    searches: budgetOf('searches'),
  }

  /**
   * What a cancel has left of its patience once the cancels' part lets it go; null when that is too late.
   * One that can wait longer than purchases reserve ahead keeps so much of it: then none of them goes
   * before it.
   */
  const takeOfCancels = async (patienceMs: number): Promise<number | null> => {
    const sinceMs = performance.now()
    const reachMs = settings.buyPatienceMs + budgets.purchases.spacingMs
    const waitMs = patienceMs > reachMs ? patienceMs - reachMs : patienceMs
    if ((await budgets.cancels.take(waitMs).catch(() => null)) === null) return null
    return Math.max(0, patienceMs - (performance.now() - sinceMs))
  }

  /** Lets the call go, or says why it does not. */
  const admit = async (wanted: Admitted): Promise<Turn | NotSent> => {
    const { budget, isCancel = false, isLink = false, patienceMs = 0, context } = wanted
    const waitMs = (quietUntilMs.get(budget) ?? 0) - clock.now().getTime()
    if (waitMs > 0) {
      return withheld('asked_to_wait', 'market B asked us to wait', waitMs)
    }
    const isPurchase = budget === 'purchases'
    // A purchase that finds the breaker half open sends a look at our money before it.
    if (isPurchase && breaker.state() === 'half-open') {
      await call({ path: '/v1/user', budget: 'account', deadlineMs: PROBE_DEADLINE_MS, context })
    }
    const pass = breaker.admit(isPurchase ? 'purchase' : 'read')
    if (pass.kind === 'wait') {
      return withheld('breaker', 'left alone after faults in a row', pass.retryAfterMs)
    }
    if (isLink && (await budgets.links.take(0).catch(() => null)) === null) {
      if (pass.kind === 'probe') breaker.ended('neither')
      const detail = 'no turn for a trade link within the call budget'
      return withheld('pace', detail, budgets.links.spacingMs)
    }
    const { take, spacingMs } = budgets[budget]
    const leftMs = isCancel ? await takeOfCancels(patienceMs) : patienceMs
    // Without the shared budget no call may leave: the market bars clients that are too quick.
    const turn = leftMs === null ? null : await take(leftMs, context.signal).catch(() => null)
    if (turn !== null) return turn
    if (pass.kind === 'probe') breaker.ended('neither')
    const retryAfterMs = Math.max(spacingMs, RETRY_UNSENT_MS)
    return withheld('pace', 'no turn within the call budget', retryAfterMs)
  }

  const takeTurns: Calls['takeTurns'] = async (most, patienceMs, context) => {
    const turn = await admit({ budget: 'purchases', patienceMs, context })
    if ('kind' in turn) return turn
    return budgets.purchases.isLimited ? [turn] : Array.from({ length: most }, () => UNLIMITED)
  }

  const call = async (wanted: Call): Promise<CallOutcome> => {
    const { path, query, budget, body, deadlineMs, maxBytes, context, guard } = wanted
    const turn = wanted.turn ?? (await admit(wanted))
    if ('kind' in turn) return turn
    if (guard && !(await guard.begin())) return withheld('taken_over', 'the work was taken over')
    if (!turn.isFresh()) return withheld('late', 'the turn within the call budget is over')
    turn.end()
    const outcome = await http.request({
      provider: 'market_b',
      operation: path.slice(path.lastIndexOf('/') + 1),
      method: body === undefined ? 'GET' : 'POST',
      ...(body && { body }),
      url: `${settings.baseUrl}${path}`,
      query: { api: settings.apiKey, ...query },
      headers: { 'user-agent': 'Tradepost/1.0' },
      deadlineMs,
      ...(maxBytes === undefined ? {} : { maxBytes }),
      context: { ...context, lease: guard },
      ...(context.signal && { signal: context.signal }),
      routine: budget !== 'purchases',
    })
    if (outcome.kind !== 'answer') {
      // A call that was held back because this process was suspended is no fault of the market's.
      if (outcome.kind === 'not-sent' && guard && guard.remainingMs() < deadlineMs)
        return withheld('late', outcome.detail)
      breaker.ended('fault')
      return outcome.kind === 'lost' ? outcome : { ...outcome, retryAfterMs: RETRY_UNSENT_MS }
    }
    const { status, headers, body: text } = outcome
    const answer: RawAnswer = { status, headers, text, body: parseJson(text) }
    const isFault = status >= 500 || (status === 200 && answer.body === undefined)
    breaker.ended(isFault ? 'fault' : 'answered')
    noteAccess(access, answer)
    if (status === 429) quietUntilMs.set(budget, clock.now().getTime() + retryAfterMs(answer))
    return { kind: 'answer', ...answer }
  }

  return Object.assign(call, { takeTurns })
}

/** What is asked before a call leaves. */
type Admitted = Pick<Call, 'budget' | 'isCancel' | 'isLink' | 'patienceMs' | 'context'>

const withheld = (
  why: Withheld,
  detail: string,
  retryAfterMs: number = RETRY_UNSENT_MS,
): NotSent => ({ kind: 'not-sent', detail, retryAfterMs, withheld: why })

/** Only a refusal of our account, or a served call, changes our access. */
function noteAccess(access: AccountAccess, answer: RawAnswer): void {
  const refusal = accountRefusal(answer)
  if (refusal !== null || (answer.status === 200 && answer.body !== undefined)) {
    access.note(refusal)
  }
}
