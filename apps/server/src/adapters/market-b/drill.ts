// What market B answers, read by this adapter and compared with what it expects: for an operator with a real
// account. Nothing is bought here.
import type { Clock } from '#infra/process/clock'
import {
  asExpected,
  type Check,
  type CheckContext,
  differs,
  type Finding,
  notTried,
  type TestBuyer,
} from '#kernel/check'
import { formatMills } from '#kernel/money'
import type { Market } from '#ports/buying'
import type { GamePlatform } from '#ports/identity'
import type { StatementPages } from '#ports/reconciliation'
import { readHead, unknownOrder } from '../shared/drill.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import { fieldsOf, flagOf, listOf, own, servedOf } from '../shared/reader.ts'
import type { Calls } from './calls.ts'
import { detailOf } from './purchase-answer.ts'
import type { MarketBSettings } from './settings.ts'
import { readSnapshot } from './snapshot.ts'

export interface DrillOptions {
  readonly settings: MarketBSettings
  readonly calls: Calls
  readonly market: Market
  readonly tradeLinks: GamePlatform
  readonly pages: StatementPages
  readonly clock: Clock
}

const DAY_MS = 86_400_000
const PATIENCE_MS = 15_000
/** Too short for a token: no account has it. */
const BAD_TOKEN = 'none'

export function createDrill(
  options: DrillOptions,
): (testBuyer: TestBuyer | null) => readonly Check[] {
  const { settings, market, pages } = options
  return (testBuyer) => [
    {
      name: 'user',
      async run(context) {
        const balance = await market.balance(context)
        return 'mills' in balance
          ? asExpected(`${formatMills(balance.mills)} USD`)
          : differs(balance.unavailable)
      },
    },
    {
      name: 'check-tradelink of a good link',
      run: (context) => lookAtLink(options, { testBuyer, isGood: true, context }),
    },
    {
      name: 'check-tradelink of a bad link',
      run: (context) => lookAtLink(options, { testBuyer, isGood: false, context }),
    },
    {
      name: 'history',
      async run(context) {
        const page = await pages.page(0, context)
        if (page.kind === 'unavailable') return differs(page.detail)
        const unreadable = page.rows.filter((row) => row === null).length
        const counts = `${page.rows.length} rows, ${unreadable} of them unreadable`
        return unreadable > 0 ? differs(counts) : asExpected(counts)
      },
    },
    { name: 'my-history', run: (context) => lookAtMyHistory(options, context) },
    {
      name: 'snapshot',
      run: ({ signal }) =>
        lookAtSnapshot(settings, signal).catch((error: Error) => differs(error.message)),
    },
    unknownOrder(market),
  ]
}

async function lookAtLink(
  { tradeLinks }: DrillOptions,
  {
    testBuyer,
    isGood,
    context,
  }: {
    readonly testBuyer: TestBuyer | null
    readonly isGood: boolean
    readonly context: CheckContext
  },
): Promise<Finding> {
  if (testBuyer === null) return notTried('--trade-url is not given')
  const canonical = isGood
    ? testBuyer.canonical
    : testBuyer.canonical.replace(/token=.*/, `token=${BAD_TOKEN}`)
  const url = { ...testBuyer, canonical, token: isGood ? testBuyer.token : BAD_TOKEN }
  const answer = await tradeLinks.resolveTradeUrl(url, { ...context, tenantId: 'drill' })
  if (answer.kind === 'unavailable') return differs(answer.detail)
  if (answer.kind === 'refused') return isGood ? differs(answer.detail) : asExpected(answer.detail)
  return isGood ? asExpected('it can be used') : differs('a link with another token can be used')
}

/** This service does not read it: its form for a buyer is in no document, and is written down here. */
async function lookAtMyHistory(
  { calls, settings, clock }: DrillOptions,
  context: CheckContext,
): Promise<Finding> {
  const nowMs = clock.now().getTime()
  const outcome = await calls({
    path: '/v1/my-history',
    body: {
      skip: 0,
      start: new Date(nowMs - DAY_MS).toISOString(),
      end: new Date(nowMs).toISOString(),
      sort: 'DESC',
    },
    budget: 'account',
    patienceMs: PATIENCE_MS,
    deadlineMs: settings.callDeadlineMs,
    context,
  })
  if (outcome.kind !== 'answer') return differs(outcome.detail)
  const fields = servedOf(outcome)
  if (fields === null) return differs(`status ${outcome.status}`)
  if (flagOf(own(fields, 'success')) !== true) return differs(detailOf(fields))
  const trades = listOf(own(fieldsOf(own(fields, 'data')) ?? {}, 'trades'))
  if (trades === null) return differs('it has no list of trades')
  const names = Object.keys(fieldsOf(trades[0]) ?? {})
  return asExpected(
    `${trades.length} trades${names.length === 0 ? '' : `, with the fields ${names.join(', ')}`}`,
  )
}

async function lookAtSnapshot(settings: MarketBSettings, signal: AbortSignal): Promise<Finding> {
  const all = { ...settings, manualSellers: true }
  const head = await readHead(readSnapshot(all, emptyGameBook, signal))
  const { listings, unreadable, isOdd } = head
  const automatic = listings.filter(({ delivery }) => delivery === 'instant').length
  const counts = `of the first rows ${listings.length} read, ${unreadable} not, ${automatic} of automatic sellers`
  // Without them nothing of the market is for sale.
  return isOdd || automatic === 0 ? differs(counts) : asExpected(counts)
}
