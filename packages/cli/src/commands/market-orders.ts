// Market orders: lists, shows, creates, changes and cancels them.
import {
  accountOf,
  amount,
  type BehalfOptions,
  type Cli,
  command,
  show,
  table,
  wholeNumber,
  withBehalf,
} from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, isNoSuchId, usageError } from '../failure.ts'
import type { MarketOrder, MarketOrderBody, MarketOrderStatus, Tradepost } from '../sdk.ts'
import { detailsText, NAME } from '../table.ts'
import { clean, moment, money } from '../text.ts'
import { confirm } from './confirm.ts'

interface ListOptions extends BehalfOptions {
  readonly status?: string
  readonly item?: string
  readonly externalId?: string
  readonly limit: number
}

interface CreateOptions extends BehalfOptions {
  readonly maxPrice?: string
  readonly quantity: number
  readonly delivery?: string
  readonly minWear?: number
  readonly maxWear?: number
  readonly paintSeeds?: readonly number[]
  readonly phase?: string
  readonly tradeUrl?: string
  readonly expires?: string
  readonly externalId?: string
  readonly yes?: boolean
}

interface ChangeOptions extends BehalfOptions {
  readonly maxPrice?: string
  readonly quantity?: number
  readonly expires?: string
}

export function addMarketOrders({ program, environment, session }: Cli): void {
  const group = program
    .command('market-orders')
    .description('standing orders to buy at no more than a price')
  const ordersOf = (options: BehalfOptions) =>
    accountOf(session(options).tradepost, options).marketOrders

  withBehalf(command(group, 'list', 'the newest ones'))
    .option('--status <status>', 'open, paused, filled, cancelled or expired')
    .option('--item <id>', 'only those of this item')
    .option('--external-id <id>', 'only the one that you called so')
    .option('--limit <count>', 'how many', wholeNumber(1, 100), 20)
    .action(async (options: ListOptions) => {
      const { status, item, externalId, limit } = options
      const { items } = await ordersOf(options).list(
        {
          limit,
          ...(status !== undefined && { status: status as MarketOrderStatus }),
          ...(item !== undefined && { itemId: item }),
          ...(externalId !== undefined && { externalId }),
        },
        { signal: environment.signal },
      )
      show(environment, options, items, () =>
        items.length === 0 ? 'No market orders.' : table(environment, items, COLUMNS),
      )
    })

  withBehalf(command(group, 'show <id>', 'one, by its id or your external id')).action(
    async (id: string, options: BehalfOptions) => {
      const order = await find(ordersOf(options), id, environment.signal)
      show(environment, options, order, () => whole(environment, order))
    },
  )

  withBehalf(command(group, 'create <item>', 'order an item by its id'))
    .option('--max-price <amount>', 'for one unit, fees included', amount)
    .option('--quantity <count>', 'units wanted', wholeNumber(1, 100), 1)
    .option('--delivery <mode>', 'instant takes only automatic delivery')
    .option('--min-wear <wear>', 'from 0 to 1', wearOf)
    .option('--max-wear <wear>', 'from 0 to 1', wearOf)
    .option('--paint-seeds <seeds>', 'one of these, separated by commas', seedsOf)
    .option('--phase <phase>', 'of a Doppler')
    .option('--trade-url <url>', 'where it goes, instead of the primary trade URL')
    .option('--expires <time>', 'such as 2026-12-24T12:00:00Z; in 30 days unless given')
    .option('--external-id <id>', 'your reference; the same one never orders twice')
    .option('-y, --yes', 'do not ask')
    .action(async (item: string, options: CreateOptions) => {
      const { maxPrice, quantity } = options
      if (maxPrice === undefined) throw usageError('--max-price is missing.')
      const externalId = options.externalId ?? `cli-${environment.newId()}`
      const { delivery, minWear, maxWear, paintSeeds, phase, tradeUrl, expires } = options
      const body: MarketOrderBody = {
        ...{ externalId, itemId: item, maxPrice, quantity },
        ...(delivery !== undefined && { delivery: delivery as 'standard' | 'instant' }),
        ...(minWear !== undefined && { minWear }),
        ...(maxWear !== undefined && { maxWear }),
        ...(paintSeeds !== undefined && { paintSeeds: [...paintSeeds] }),
        ...(phase !== undefined && { phase: phase as NonNullable<MarketOrderBody['phase']> }),
        ...(tradeUrl !== undefined && { tradeUrl }),
        ...(expires !== undefined && { expiresAt: expires }),
      }
      await confirm(environment, options, {
        question: `Order ${quantity} at no more than ${maxPrice} each?`,
        done: 'ordered',
      })
      environment.terminal.note(`external id  ${externalId}`)
      // Not interruptible from here on: after Ctrl-C the outcome would be unknown.
      const order = await ordersOf(options).create(body)
      show(environment, options, order, () => whole(environment, order))
    })

  withBehalf(command(group, 'change <id>', 'another price, quantity or end, by either id'))
    .option('--max-price <amount>', 'for one unit, fees included', amount)
    .option('--quantity <count>', 'units wanted', wholeNumber(1, 100))
    .option('--expires <time>', 'such as 2026-12-24T12:00:00Z')
    .action(async (id: string, options: ChangeOptions) => {
      const { maxPrice, quantity, expires } = options
      if ([maxPrice, quantity, expires].every((value) => value === undefined)) {
        throw usageError('Name what changes: --max-price, --quantity or --expires.')
      }
      const orders = ordersOf(options)
      const found = await find(orders, id, environment.signal)
      const order = await orders.change(found.id, {
        ...(maxPrice !== undefined && { maxPrice }),
        ...(quantity !== undefined && { quantity }),
        ...(expires !== undefined && { expiresAt: expires }),
      })
      show(environment, options, order, () => whole(environment, order))
    })

  withBehalf(
    command(group, 'cancel <id>', 'cancel one, by either id; fills under way run on'),
  ).action(async (id: string, options: BehalfOptions) => {
    const orders = ordersOf(options)
    const order = await orders.cancel((await find(orders, id, environment.signal)).id)
    show(environment, options, order, () => whole(environment, order))
  })
}

/** An order of the account by its id or else by its external id, under which there is one at most. */
async function find(
  orders: Tradepost['marketOrders'],
  id: string,
  signal: AbortSignal,
): Promise<MarketOrder> {
  try {
    return await orders.get(id, { signal })
  } catch (error) {
    if (!isNoSuchId(error, 'MARKET_ORDER_NOT_FOUND')) throw error
  }
  const [order] = (await orders.list({ externalId: id, limit: 1 }, { signal })).items
  if (order !== undefined) return order
  const message = `There is no market order with the id or external id ${clean(id)}.`
  throw new CommandError(message, EXIT.refused)
}

function wearOf(text: string): number {
  const wear = Number(text)
  if (!/^\d*\.?\d+$/.test(text) || wear > 1) throw usageError(`${text} is no wear from 0 to 1.`)
  return wear
}

function seedsOf(text: string): readonly number[] {
  const seeds = text.split(',').map((seed) => seed.trim())
  if (!seeds.every((seed) => /^\d{1,4}$/.test(seed))) {
    throw usageError('Paint seeds are whole numbers, separated by commas.')
  }
  return seeds.map(Number)
}

const stateOf = ({ status, pausedReason }: MarketOrder): string =>
  pausedReason === null ? status : `${status}: ${pausedReason}`

const COLUMNS = [
  { title: 'ORDER', cell: ({ id }: MarketOrder) => id, drops: 3 },
  { title: 'ITEM', cell: ({ marketHashName }: MarketOrder) => marketHashName, ...NAME },
  { title: 'STATUS', cell: stateOf },
  {
    title: 'MAX PRICE',
    cell: ({ maxPrice, currency }: MarketOrder) => money(maxPrice, currency),
    align: 'right',
  },
  { title: 'FILLED', cell: ({ filled, quantity }: MarketOrder) => `${filled} of ${quantity}` },
  { title: 'EXPIRES (UTC)', cell: ({ expiresAt }: MarketOrder) => moment(expiresAt), drops: 2 },
] as const

function whole({ terminal }: Environment, order: MarketOrder): string {
  const filters = Object.entries(order.filters).map(([name, value]) => `${name} ${value}`)
  return detailsText(
    [
      ['order', order.id],
      ['external id', order.externalId],
      ['item', `${order.marketHashName} (${order.itemId})`],
      ['status', stateOf(order)],
      ['max price', money(order.maxPrice, order.currency)],
      ['quantity', `${order.quantity}, filled ${order.filled}, under way ${order.pending}`],
      ['filters', filters.join(', ') || 'none'],
      ['delivered to', order.tradeUrl ?? 'the primary trade URL'],
      ['expires', `${moment(order.expiresAt)} UTC`],
      ...order.trades.map((id): [string, string] => ['trade', id]),
    ],
    terminal.outPaint.dim,
  )
}
