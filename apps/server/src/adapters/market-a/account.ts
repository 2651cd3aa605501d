// Our account at market A. Its prices are in thousandths of the account's own currency: with another than
// the dollar every ceiling would be wrong, so nothing is bought until the market has named the dollar.

import type { Clock } from '#infra/process/clock'
import type { Mills } from '#kernel/money'
import type { CallContext } from '#ports/buying'
import type { AccountReading } from '#ports/catalog'
import type { Log } from '../shared/feed-counters.ts'
import { millsOfDecimal, own, servedOf, textOf } from '../shared/reader.ts'
import type { KeyedCalls } from './calls.ts'
import { detailOf } from './purchase-answer.ts'
import type { MarketASettings } from './settings.ts'

export type Balance =
  | {
      readonly mills: Mills
      /** Of sales that may still be reversed: it is the account's, and cannot be spent. */
      readonly settlingMills: Mills | null
    }
  | { readonly unavailable: string }

export interface Account {
  readBalance(context: CallContext, deadlineMs?: number): Promise<Balance>
  /** Why nothing may be bought with this account; null when it is kept in dollars. */
  obstacle(context: CallContext): Promise<string | null>
  /** Whether the market has named the dollar. */
  isInDollars(): boolean
  /** What the last call that read the balance said; null before the first. */
  latest(): AccountReading | null
}

const CURRENCY = 'USD'

export function createAccount({
  settings,
  calls,
  clock,
  log,
}: {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly clock: Clock
  readonly log: Log
}): Account {
  let currency: string | null = null
  let latest: AccountReading | null = null

  const noteCurrency = (named: string | null): void => {
    if (named === null || named === currency) return
    currency = named
    if (named === CURRENCY) return
    log.error(
      { event: 'market_account_currency', market: 'market_a', currency: named, alarm: true },
      'the account at market A is not kept in dollars: nothing is bought there',
    )
  }
  const knownObstacle = (): string | null =>
    currency === null || currency === CURRENCY
      ? null
      : `the account is kept in ${currency}, not in ${CURRENCY}`

  const readBalance: Account['readBalance'] = async (
    context,
    deadlineMs = settings.callDeadlineMs,
  ) => {
    const askedAt = clock.now()
    const outcome = await calls.call({
      method: 'get-money',
      urgency: 'look-up',
      patienceMs: settings.lookUpPatienceMs,
      deadlineMs,
      context,
    })
    if (outcome.kind !== 'answer') return { unavailable: outcome.detail }
    const fields = servedOf(outcome)
    if (fields === null) return { unavailable: `status ${outcome.status}` }
    const amount = millsOfDecimal(own(fields, 'money'))
    if (amount === null) return { unavailable: detailOf(fields) }
    const named = textOf(own(fields, 'currency'))
    noteCurrency(named)
    if (named === null) return { unavailable: 'the balance names no currency' }
    const unavailable = knownObstacle()
    const settlingMills = millsOfDecimal(own(fields, 'money_settlement'))
    if (unavailable !== null) {
      latest = { askedAt, said: { kind: 'refused', because: 'currency', detail: unavailable } }
      return { unavailable }
    }
    latest = { askedAt, said: { kind: 'served', balanceMills: amount, currency: named } }
    return { mills: amount, settlingMills }
  }

  return {
    readBalance,
    isInDollars: () => currency === CURRENCY,
    latest: () => latest,
    async obstacle(context) {
      if (currency === CURRENCY) return null
      const balance = await readBalance(context)
      return 'mills' in balance ? null : balance.unavailable
    },
  }
}
