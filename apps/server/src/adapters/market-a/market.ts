import type {
  CallContext,
  LookUpAnswer,
  Market,
  OrderUpdate,
  PlacingContext,
  Purchase,
  PurchaseAnswer,
} from '#ports/buying'
import type { AccountAccess } from '../shared/account-access.ts'
import type { Log } from '../shared/feed-counters.ts'
import { type Fields, fieldsOf, flagOf, listOf, own, servedOf, textOf } from '../shared/reader.ts'
import type { Account } from './account.ts'
import type { KeyedCalls } from './calls.ts'
import { readCancelAnswer } from './cancel-answer.ts'
import { readOrder } from './order-update.ts'
import { detailOf, readPurchaseAnswer } from './purchase-answer.ts'
import { searchByNames } from './search.ts'
import type { MarketASettings } from './settings.ts'

const LOOK_UP_BATCH = 50
/** An order is a purchase, and about three look-ups that it shares with others. */
const CALLS_OF_ORDER = 4

const ordersPerMinute = ({ callSpacingMs }: MarketASettings): number | null =>
  callSpacingMs === 0 ? null : Math.floor(60_000 / callSpacingMs / CALLS_OF_ORDER)

/** An account that may not buy is asked about again this soon. */
const RETRY_ACCOUNT_MS = 5_000

/** Buys at market A and follows what was bought. */
export function createMarket({
  settings,
  calls,
  account,
  access,
  log,
}: {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly account: Account
  readonly access: AccountAccess
  readonly log: Log
}): Market {
  const notUsable = (detail: string) => {
    const unsent = { kind: 'not-sent', detail, retryAfterMs: RETRY_ACCOUNT_MS } as const
    const withheld = { ...unsent, withheld: 'account' } as const
    if (access.refusal() !== null) return { ...withheld, account: 'forbidden' } as const
    if (account.latest()?.said.kind !== 'refused') return withheld
    return { ...withheld, account: 'currency' } as const
  }

  const takeTurns: Market['takeTurns'] = async (most, context) => {
    const obstacle = await account.obstacle(context)
    if (obstacle !== null) return notUsable(obstacle)
    const turns = await calls.takeTurns(most, settings.buyPatienceMs, context)
    return 'kind' in turns ? turns : { kind: 'turns', turns }
  }

  const place = async (purchase: Purchase, context: PlacingContext): Promise<PurchaseAnswer> => {
    if (!account.isInDollars()) {
      return notUsable('the account at the market was not read')
    }
    const outcome = await calls.call({
      method: 'buy-for',
      query: {
        id: purchase.rawListingId,
        price: purchase.ceilingMills,
        partner: purchase.partner,
        token: purchase.token,
        custom_id: purchase.customId,
        ...(settings.leastChance > 0 && { chance_to_transfer: settings.leastChance }),
      },
      urgency: 'purchase',
      patienceMs: settings.buyPatienceMs,
      deadlineMs: settings.buyDeadlineMs,
      context,
      guard: context.guard,
      turn: context.turn,
    })
    if (outcome.kind === 'not-sent') return outcome
    if (outcome.kind === 'lost') return { kind: 'unknown', detail: outcome.detail }
    const { answer, isPriceOrGone } = readPurchaseAnswer(outcome.status, outcome.body)
    if (answer.kind === 'refused' && answer.alarm === true) {
      log.error(
        { market: 'market_a', alarm: true, requestId: context.requestId, detail: answer.detail },
        'market A refuses us as a customer',
      )
    }
    if (answer.kind !== 'refused' || !isPriceOrGone) return answer
    const costsMore = await isDearerNow(purchase, context)
    return costsMore ? { ...answer, code: 'PRICE_CHANGED' } : answer
  }

  /** The refusal does not say whether the listing is gone or only dearer; a second look does. */
  const isDearerNow = async (purchase: Purchase, context: CallContext): Promise<boolean> => {
    const found = await searchByNames(calls, [purchase.marketHashName], {
      urgency: 'look-up',
      patienceMs: settings.lookUpPatienceMs,
      deadlineMs: settings.callDeadlineMs,
      context,
    })
    const listing = found
      ?.get(purchase.marketHashName)
      ?.find(({ rawId }) => rawId === purchase.rawListingId)
    return listing !== undefined && listing.priceMills > purchase.ceilingMills
  }

  return {
    id: 'market_a',
    account: settings.account,
    keyVersion: settings.keyVersion,
    traits: {
      repeats: 'lookup-only',
      lookUpSettleMs: settings.lookUpSettleMs,
      absentLookUps: 2,
      lookUpBatch: LOOK_UP_BATCH,
      pollMs: settings.pollMs,
      // An accepted order shows its offer no more.
      offerPollMs: Math.min(settings.offerPollMs, settings.pollMs),
      ordersPerMinute: ordersPerMinute(settings),
      cancelAfterMs: settings.cancelAfterMs,
    },
    takeTurns,
    place,
    async lookUp(queries, context) {
      const outcome = await calls.call({
        method: 'get-list-buy-info-by-custom-id',
        query: { 'custom_id[]': queries.map(({ customId }) => customId) },
        urgency: 'look-up',
        patienceMs: settings.lookUpPatienceMs,
        deadlineMs: settings.callDeadlineMs,
        context,
      })
      if (outcome.kind === 'not-sent') return { ...outcome, kind: 'unavailable' }
      if (outcome.kind === 'lost') return unavailable(outcome.detail)
      const rows = rowsOf(outcome.status, outcome.body)
      if (typeof rows === 'string') return unavailable(rows)
      const orders = new Map<string, OrderUpdate | 'absent'>()
      // An order under an id that was not asked for may be any of those that are missing.
      const asked = new Set(queries.map(({ customId }) => customId))
      const isWhole = Object.keys(rows).every((customId) => asked.has(customId))
      for (const query of queries) {
        const row = own(rows, query.customId)
        const isMissing = row === undefined && isWhole
        const update = isMissing ? 'absent' : readOrder(row, query)
        if (update !== null) orders.set(query.customId, update)
        else
          log.warn(
            { event: 'order_unreadable', market: 'market_a', customId: query.customId },
            'order unreadable',
          )
      }
      return { kind: 'read', orders }
    },
    async cancel({ customId, patienceMs }, context) {
      const outcome = await calls.call({
        method: 'cancel-order',
        query: { custom_id: customId },
        urgency: 'cancel',
        patienceMs,
        deadlineMs: settings.callDeadlineMs,
        context,
        guard: context.guard,
      })
      if (outcome.kind === 'lost') return { kind: 'unknown', detail: outcome.detail }
      if (outcome.kind === 'not-sent') return outcome
      return readCancelAnswer(outcome.status, outcome.body)
    },
    balance: async (context) => {
      const balance = await account.readBalance(context)
      return 'mills' in balance ? { mills: balance.mills } : balance
    },
  }
}

const unavailable = (detail: string, retryAfterMs = 1_000): LookUpAnswer => ({
  kind: 'unavailable',
  detail,
  retryAfterMs,
})

const NOTHING: Fields = {}

/** The whole text: "Method not found" says nothing of an order. */
const NOT_FOUND = /^\s*(order )?not found\W*$/i

/** The orders by custom id, or why there are none to read. */
function rowsOf(status: number, body: unknown): Fields | string {
  const fields = servedOf({ status, body })
  if (fields === null) return `status ${status}`
  const data = own(fields, 'data')
  const success = flagOf(own(fields, 'success'))
  if (success === true) {
    // PHP spells an empty map as an empty list.
    return (
      fieldsOf(data) ??
      (data === false || listOf(data)?.length === 0 ? NOTHING : 'no orders in the answer')
    )
  }
  const isNotFound = NOT_FOUND.test(textOf(own(fields, 'error')) ?? '')
  return success === false && isNotFound ? NOTHING : detailOf(fields)
}
