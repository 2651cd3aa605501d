import { mills } from '#kernel/money'
import type {
  CallContext,
  LookUpAnswer,
  Market,
  OrderQuery,
  OrderUpdate,
  PurchaseAnswer,
} from '#ports/buying'
import type { Log } from '../shared/feed-counters.ts'
import { fieldsOf, flagOf, integerOf, listOf, own, servedOf } from '../shared/reader.ts'
import { type CallOutcome, type Calls, purchasesPerMinute } from './calls.ts'
import { readCancelAnswer } from './cancel-answer.ts'
import { chooseRow, readOrder, readTradeRow, type TradeRow } from './order-update.ts'
import { detailOf, readPurchaseAnswer, retryAfterMs } from './purchase-answer.ts'
import type { MarketBSettings, Penalties } from './settings.ts'

const LOOK_UP_BATCH = 100
/** A purchase without an answer waits for its look-up's turn. */
const UNKNOWN_PATIENCE_MS = 3_000
/** Only the reconciliation waits for it. */
const ACCOUNT_PATIENCE_MS = 10_000

/** Buys at market B and follows what was bought. */
export function createMarket({
  settings,
  calls,
  log,
}: {
  readonly settings: MarketBSettings
  readonly calls: Calls
  readonly log: Log
}): Market {
  const readRows = async (
    path: '/v1/check-many-steam' | '/v1/check-many-project-id',
    ids: readonly string[],
    context: CallContext,
    patienceMs = 0,
  ): Promise<Rows> => {
    const { callDeadlineMs: deadlineMs } = settings
    return rowsOf(
      await calls({
        path,
        query: { id: ids },
        budget: 'look-ups',
        patienceMs,
        deadlineMs,
        context,
      }),
    )
  }

  /** Null when there is nothing to ask. Waits for its turn, which a poll of known orders does not. */
  const readProjects = async (
    queries: readonly OrderQuery[],
    context: CallContext,
  ): Promise<Rows | null> => {
    if (queries.length === 0) return null
    const ids = queries.map(({ customId }) => customId)
    const read = await readRows('/v1/check-many-project-id', ids, context, UNKNOWN_PATIENCE_MS)
    if (read.kind !== 'read') return read
    // A row that does not name its project may be the order of any of them.
    const isNamed = read.rows.every(({ projectId }) => ids.some((id) => id === projectId))
    return { ...read, isWhole: read.isWhole && isNamed }
  }

  return {
    id: 'market_b',
    account: settings.account,
    keyVersion: settings.keyVersion,
    traits: {
      repeats: 'reject-duplicate',
      lookUpSettleMs: settings.lookUpSettleMs,
      absentLookUps: 2,
      lookUpBatch: LOOK_UP_BATCH,
      pollMs: settings.pollMs,
      offerPollMs: settings.pollMs,
      ordersPerMinute: purchasesPerMinute(settings),
      cancelAfterMs: settings.cancelAfterMs,
    },
    async takeTurns(most, context) {
      const turns = await calls.takeTurns(most, settings.buyPatienceMs, context)
      return 'kind' in turns ? turns : { kind: 'turns', turns }
    },
    async place(purchase, context) {
      const outcome = await calls({
        path: '/v1/buy-one-p2p',
        query: {
          item_id: purchase.rawListingId,
          price: purchase.ceilingMills,
          partner: purchase.partner,
          token: purchase.token,
          project_id: purchase.customId,
        },
        budget: 'purchases',
        deadlineMs: settings.buyDeadlineMs,
        context,
        guard: context.guard,
        turn: context.turn,
      })
      const answer = answerOf(outcome)
      if (answer.kind === 'refused' && answer.alarm === true) {
        log.error(
          { market: 'market_b', alarm: true, requestId: context.requestId, detail: answer.detail },
          'market B refuses us as a customer',
        )
      }
      return answer
    },
    async lookUp(queries, context) {
      const orders = new Map<string, OrderUpdate | 'absent'>()
      // Purchases of which nothing is known go first: money may hang on them, and the budget is small.
      const unnumbered = queries.filter(({ orderId }) => orderId === null)
      const byCustomId = await readProjects(unnumbered, context)
      const note = noteInto(orders, settings.penalties)
      note(unnumbered, byCustomId, 'missing-is-absent')
      const numbered = queries.filter(({ orderId }) => orderId !== null)
      const byNumber =
        numbered.length === 0
          ? null
          : await readRows(
              '/v1/check-many-steam',
              numbered.map(({ orderId }) => orderId ?? ''),
              context,
            )
      note(numbered, byNumber, 'leave-missing')
      const unlisted =
        byNumber?.kind === 'read' ? numbered.filter(({ customId }) => !orders.has(customId)) : []
      const byProject = await readProjects(unlisted, context)
      note(unlisted, byProject, 'missing-is-absent')
      const trouble = [byCustomId, byNumber, byProject].find((rows) => rows?.kind === 'unavailable')
      return orders.size === 0 && trouble?.kind === 'unavailable'
        ? trouble
        : { kind: 'read', orders }
    },
    async cancel({ orderId, patienceMs }, context) {
      const outcome = await calls({
        path: '/v1/cancel-trade',
        query: { id: orderId },
        budget: 'purchases',
        isCancel: true,
        patienceMs,
        deadlineMs: settings.callDeadlineMs,
        context,
        guard: context.guard,
      })
      if (outcome.kind === 'lost') return { kind: 'unknown', detail: outcome.detail }
      if (outcome.kind === 'not-sent') return outcome
      return readCancelAnswer(outcome)
    },
    async balance(context) {
      const { callDeadlineMs: deadlineMs } = settings
      const outcome = await calls({
        path: '/v1/user',
        budget: 'account',
        patienceMs: ACCOUNT_PATIENCE_MS,
        deadlineMs,
        context,
      })
      return balanceOf(outcome)
    },
  }
}

function answerOf(outcome: CallOutcome): PurchaseAnswer {
  switch (outcome.kind) {
    case 'answer':
      return readPurchaseAnswer(outcome)
    case 'lost':
      return { kind: 'unknown', detail: outcome.detail }
    case 'not-sent':
      return outcome
  }
}

type Rows =
  | { readonly kind: 'read'; readonly rows: readonly TradeRow[]; readonly isWhole: boolean }
  | Extract<LookUpAnswer, { kind: 'unavailable' }>

function rowsOf(outcome: CallOutcome): Rows {
  if (outcome.kind === 'not-sent') return { ...outcome, kind: 'unavailable' }
  if (outcome.kind === 'lost') return unavailable(outcome.detail)
  if (outcome.status === 429) return unavailable('too many requests', retryAfterMs(outcome))
  const fields = servedOf(outcome)
  if (fields === null) return unavailable(`status ${outcome.status}`)
  const trades = listOf(own(fields, 'trades'))
  if (flagOf(own(fields, 'success')) !== true || trades === null)
    return unavailable(detailOf(fields))
  const rows = trades.map(readTradeRow).filter((row) => row !== null)
  return { kind: 'read', rows, isWhole: rows.length === trades.length }
}

const unavailable = (
  detail: string,
  retryMs = 1_000,
): Extract<LookUpAnswer, { kind: 'unavailable' }> => ({
  kind: 'unavailable',
  detail,
  retryAfterMs: retryMs,
})

/** Writes down what the rows say of each query. A row that we could not read may be any of them. */
const noteInto =
  (orders: Map<string, OrderUpdate | 'absent'>, penalties: Penalties) =>
  (
    queries: readonly OrderQuery[],
    rows: Rows | null,
    missing: 'leave-missing' | 'missing-is-absent',
  ): void => {
    if (rows?.kind !== 'read') return
    for (const query of queries) {
      const chosen = chooseRow(rows.rows, query)
      if (chosen !== null) {
        const { row, isAmbiguous } = chosen
        orders.set(query.customId, readOrder(row, query, { isAmbiguous, penalties }))
      } else if (missing === 'missing-is-absent' && rows.isWhole) {
        orders.set(query.customId, 'absent')
      }
    }
  }

export function balanceOf(outcome: CallOutcome): Awaited<ReturnType<Market['balance']>> {
  if (outcome.kind !== 'answer') return { unavailable: outcome.detail }
  const fields = servedOf(outcome)
  const user = fields === null ? null : fieldsOf(own(fields, 'user'))
  const wallet = user === null ? null : integerOf(own(user, 'wallet'))
  if (wallet !== null) return { mills: mills(wallet) }
  return { unavailable: fields === null ? `status ${outcome.status}` : detailOf(fields) }
}
