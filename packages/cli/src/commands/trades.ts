// Lists trades, and shows one with its timeline.
import { type Cli, type CommonOptions, command, show, table, wholeNumber } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, explained } from '../failure.ts'
import { statusPaint } from '../paint.ts'
import {
  type CanceledItem,
  type Trade,
  type TradeItem,
  TradepostError,
  type TradeStatus,
} from '../sdk.ts'
import { detailsText, NAME } from '../table.ts'
import { failureText, itemName, moment, money } from '../text.ts'
import { timelineText } from '../timeline.ts'
import { findTrade } from './find-trade.ts'

interface ListOptions extends CommonOptions {
  readonly status?: string
  readonly user?: string
  readonly externalId?: string
  readonly limit: number
}

interface CancelOptions extends CommonOptions {
  readonly item?: string
}

export function addTrades(cli: Cli): void {
  const { program, environment, session } = cli
  const trades = program.command('trades').description('trades of the merchant and its sub-users')

  command(trades, 'list', 'the newest ones')
    .option('--status <status>', 'filter by status')
    .option('--user <user>', 'filter by sub-user')
    .option('--external-id <id>', 'filter by your external id')
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
    .action(async (options: ListOptions) => {
      const { tradepost } = session(options)
      const { trades: found } = await tradepost.trades.list(
        {
          limit: options.limit,
          status: options.status as TradeStatus | undefined,
          subUserId: options.user,
          externalId: options.externalId,
        },
        { signal: environment.signal },
      )
      show(environment, options, found, () =>
        found.length === 0 ? 'No trades.' : list(environment, found),
      )
    })

  command(
    trades,
    'show <id>',
    'one of them, by its id, your external id, or the id of an item, offer or event',
  ).action(async (id: string, options: CommonOptions) => {
    const { signal } = environment
    const { trade, transactions } = await findTrade(cli, id, options, { within: true })
    const timeline = await transactions.timeline(trade.id, { signal }).catch(notOf)
    show(environment, options, { trade, timeline }, () => {
      const history = timeline === null ? [] : [timelineText(environment, trade, timeline)]
      return [...whole(environment, trade), ...history].join('\n\n')
    })
  })

  command(trades, 'cancel <id>', 'cancel what of a trade can still be canceled')
    .option('--item <item>', 'only this item, by its id or your externalId')
    .action((id: string, options: CancelOptions) => cancel(cli, id, options))
}

/** Null for a service without timelines, and for a deleted sub-user. */
function notOf(error: unknown): null {
  if (error instanceof TradepostError && ['NOT_FOUND', 'USER_NOT_FOUND'].includes(error.key)) {
    return null
  }
  throw error
}

async function cancel(cli: Cli, id: string, options: CancelOptions): Promise<void> {
  const { environment } = cli
  const { trade, transactions } = await findTrade(cli, id, options)
  const { id: tradeId } = trade
  // Not interruptible from here on: after Ctrl-C the outcome would be unknown.
  const items: readonly CanceledItem[] =
    options.item === undefined
      ? (await transactions.cancel(tradeId)).items
      : [await transactions.cancelItem(tradeId, options.item)]
  const nameOf = new Map(trade.items.map((item) => [item.id, itemName(item)]))
  show(environment, options, items, () =>
    table(environment, items, [
      { title: 'ITEM', cell: ({ itemId }) => nameOf.get(itemId) ?? '?', ...NAME },
      { title: 'ID', cell: ({ itemId }) => itemId, drops: 1 },
      { title: 'OUTCOME', cell: ({ status }) => status },
      { title: 'REASON', cell: ({ reason = '' }) => reason },
    ]),
  )
  const failed = items.filter(({ status }) => status === 'failed')
  if (failed.length > 0) {
    const message = `${failed.length} of ${items.length} not canceled.`
    const reasons = new Set(failed.flatMap(({ reason }) => reason ?? []))
    const hints = explained([...reasons], cli.baseUrl())
    throw new CommandError(message, EXIT.refused, hints, { isInResult: true })
  }
}

const list = (environment: Environment, trades: readonly Trade[]): string =>
  table(environment, trades, [
    { title: 'CREATED (UTC)', cell: ({ createdAt }) => moment(createdAt), drops: 3 },
    { title: 'TRADE', cell: ({ id }) => id, drops: 4 },
    { title: 'TYPE', cell: ({ type }) => type, drops: 2 },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      paint: ({ status }) => statusPaint(environment.terminal.outPaint, status),
    },
    {
      title: 'TOTAL',
      cell: ({ totalPrice, currency }) => money(totalPrice, currency),
      align: 'right',
    },
    { title: 'ITEMS', cell: ({ items }) => namesOf(items), ...NAME },
    { title: 'EXTERNAL ID', cell: ({ externalId = '' }) => externalId, shrinks: true, drops: 1 },
  ])

const namesOf = ([first, ...others]: readonly TradeItem[]): string =>
  (first === undefined ? '?' : itemName(first)) +
  (others.length > 0 ? ` and ${others.length} more` : '')

function whole(environment: Environment, trade: Trade): string[] {
  const paint = environment.terminal.outPaint
  const { currency, summary } = trade
  const details = detailsText(
    [
      ['trade', trade.id],
      ['type', trade.type],
      ['status', trade.status],
      trade.externalId === undefined ? null : ['external id', trade.externalId],
      ['account', trade.userId],
      ['total', money(trade.totalPrice, currency)],
      ['items', `${summary.total}: ${summary.delivered} delivered, ${summary.failed} failed`],
      trade.holdEndDate === undefined ? null : ['hold ends', moment(trade.holdEndDate)],
      trade.settledAt === undefined ? null : ['settled', moment(trade.settledAt)],
      trade.revertedBy === undefined ? null : ['reverted by', trade.revertedBy],
      trade.error === undefined ? null : ['error', failureText(trade.error)],
      ['created', moment(trade.createdAt)],
      ['changed', moment(trade.updatedAt)],
    ],
    paint.dim,
  )
  const items = table(environment, trade.items, [
    { title: 'ITEM', cell: (item) => itemName(item), ...NAME },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      paint: ({ status }) => statusPaint(paint, status),
    },
    { title: 'PRICE', cell: ({ price }) => money(price, currency), align: 'right' },
    {
      title: 'REFUND',
      cell: ({ refund }) => (refund === undefined ? '' : money(refund.amount, currency)),
      align: 'right',
    },
    { title: 'ERROR', cell: ({ error }) => (error ? failureText(error) : ''), shrinks: true },
    { title: 'OFFER', cell: ({ offerId = '' }) => offerId, drops: 1 },
    { title: 'ID', cell: ({ id }) => id, drops: 2 },
  ])
  return [details, items]
}
