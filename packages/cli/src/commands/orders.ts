// The orders of an account of the partner interface.
import { type Cli, type CommonOptions, command, show, table, wholeNumber } from '../cli.ts'
import type { partner } from '../sdk.ts'
import { NAME } from '../table.ts'
import { failureText, moment, money } from '../text.ts'

interface OrdersOptions extends CommonOptions {
  readonly page: number
  readonly limit: number
}

export function addOrders({ program, environment, partnerSession }: Cli): void {
  command(program, 'orders', 'orders of a partner or child, newest first')
    .option('--page <number>', 'page number', wholeNumber(1, 1_000_000), 1)
    .option('--limit <count>', 'rows per page', wholeNumber(1, 100), 20)
    .action(async (options: OrdersOptions) => {
      const { account } = partnerSession(options)
      const { page, limit } = options
      const found = await account.account.orders({ page, limit }, { signal: environment.signal })
      show(environment, options, found, () => {
        if (found.orders.length === 0) return 'There is no order here.'
        const { total } = found
        const pages = Math.ceil(total / limit)
        const where = `${total} ${total === 1 ? 'order' : 'orders'}, page ${page} of ${pages}`
        const { dim } = environment.terminal.outPaint
        return `${table(environment, found.orders, COLUMNS)}\n${dim(where)}`
      })
    })
}

const COLUMNS = [
  { title: 'ORDER', cell: ({ id }: partner.Order) => id, drops: 3 },
  { title: 'ITEM', cell: ({ item }: partner.Order) => item, ...NAME },
  { title: 'STATUS', cell: ({ status }: partner.Order) => status.code },
  { title: 'PAID', cell: ({ amount }: partner.Order) => money(amount), align: 'right' },
  {
    title: 'REASON',
    cell: ({ cancelReason }: partner.Order) => failureText(cancelReason ?? ''),
    shrinks: true,
    drops: 1,
  },
  { title: 'CREATED (UTC)', cell: ({ timestamp }: partner.Order) => moment(timestamp), drops: 2 },
] as const
