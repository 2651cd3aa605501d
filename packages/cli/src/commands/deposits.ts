// Money into a wallet: where to pay, and what became of it.
import {
  accountOf,
  type BehalfOptions,
  type Cli,
  command,
  readDollars,
  show,
  table,
  wholeNumber,
  withBehalf,
} from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, isNoSuchId, usageError } from '../failure.ts'
import { statusPaint } from '../paint.ts'
import type { CreateDepositResponse, Deposit, DepositCurrency } from '../sdk.ts'
import { detailsText } from '../table.ts'
import { clean, moment, money } from '../text.ts'

interface CreateOptions extends BehalfOptions {
  readonly currency: string
  readonly chain?: string
}

interface ListOptions extends BehalfOptions {
  readonly limit: number
}

export function addDeposits({ program, environment, session }: Cli): void {
  const deposits = program.command('deposits').description('deposits into a wallet')
  const { signal } = environment
  const of = (options: BehalfOptions) => accountOf(session(options).tradepost, options).deposits

  withBehalf(command(deposits, 'chains', 'what the gateway takes')).action(
    async (options: BehalfOptions) => {
      const { currencies } = await of(options).chains({ signal })
      show(environment, options, currencies, () =>
        table(environment, currencies, [
          { title: 'CURRENCY', cell: ({ currency }) => currency },
          {
            title: 'LEAST',
            cell: ({ minDepositUsd }) => money(minDepositUsd, 'USD'),
            align: 'right',
          },
          { title: 'CHAINS', cell: ({ chains }) => chains.join(', '), shrinks: true },
        ]),
      )
    },
  )

  withBehalf(command(deposits, 'create <amount>', 'a gateway deposit of so many US dollars'))
    .option('--currency <currency>', 'currency to pay with', 'USDT')
    .option('--chain <chain>', 'chain to pay on (default: the first one listed)')
    .action(async (amount: string, options: CreateOptions) => {
      readDollars(amount)
      const account = of(options)
      const currency = options.currency as DepositCurrency
      const { currencies } = await account.chains({ signal })
      const offered = currencies.find((one) => one.currency === currency)
      const chain = options.chain ?? offered?.chains[0]
      if (chain === undefined) throw usageError(`The gateway does not take ${currency}.`)
      const { quoteToken } = await account.quote({ amount, currency }, { signal })
      // Not interruptible: after Ctrl-C the outcome would be unknown.
      const created = await account.create({ quoteToken, chain })
      show(environment, options, created, () => createdText(environment, created))
    })

  withBehalf(command(deposits, 'list', 'the newest ones of one wallet'))
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
    .action(async (options: ListOptions) => {
      const { items } = await of(options).list({ limit: options.limit }, { signal })
      show(environment, options, items, () =>
        items.length === 0 ? noDeposits(options) : listText(environment, items),
      )
    })

  withBehalf(command(deposits, 'show <id>', 'one of them')).action(
    async (id: string, options: BehalfOptions) => {
      const deposit = await of(options).get(id, { signal }).catch(noSuchDeposit(environment, id))
      show(environment, options, deposit, () => depositText(environment, deposit))
    },
  )

  withBehalf(command(deposits, 'cancel <id>', 'cancel one for which no payment was seen')).action(
    async (id: string, options: BehalfOptions) => {
      const cancelled = await of(options).cancel(id).catch(noSuchDeposit(environment, id))
      show(environment, options, cancelled, () => cancelled.status)
    },
  )

  withBehalf(command(deposits, 'address', 'where to pay on a chain')).action(
    async (options: BehalfOptions) => {
      const found = await of(options).address({ signal })
      show(environment, options, found, () =>
        [found.address, found.chains.join(', '), found.tokens.join(', ')].join('\n'),
      )
    },
  )
}

const noSuchDeposit =
  ({ commandLine }: Environment, id: string) =>
  (error: unknown): never => {
    if (!isNoSuchId(error, 'DEPOSIT_NOT_FOUND')) throw error
    throw new CommandError(`There is no deposit ${clean(id)} of this wallet.`, EXIT.refused, [
      `The ids: ${commandLine('deposits list')}; those of a sub-user: with --on-behalf-of <user>`,
    ])
  }

/** Lists of trades and events include those of sub-users; this one is of a single wallet. */
const noDeposits = ({ onBehalfOf }: BehalfOptions): string =>
  onBehalfOf === undefined
    ? 'No deposits into the merchant’s own wallet. Those of a sub-user: --on-behalf-of <user>'
    : 'No deposits of this sub-user.'

const createdText = (environment: Environment, created: CreateDepositResponse): string =>
  detailsText(
    [
      ['deposit', created.fundingId],
      ['pay', `${created.payAmountToken} ${created.onChain.token}`],
      ['on', created.onChain.network],
      ['to', created.onChain.address],
      ['gives', money(created.receiveAmount, created.currency)],
      created.expireTime === null
        ? null
        : ['until', moment(new Date(created.expireTime).toISOString())],
    ],
    environment.terminal.outPaint.dim,
  )

const listText = (environment: Environment, deposits: readonly Deposit[]): string =>
  table(environment, deposits, [
    { title: 'CREATED (UTC)', cell: ({ createdAt }) => moment(createdAt), drops: 2 },
    { title: 'DEPOSIT', cell: ({ id }) => id },
    { title: 'METHOD', cell: ({ method }) => method, drops: 1 },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      paint: ({ status }) => statusPaint(environment.terminal.outPaint, status),
    },
    { title: 'CREDITED', cell: (deposit) => creditedText(deposit), align: 'right' },
    { title: 'REASON', cell: ({ reason }) => reason ?? '', shrinks: true },
  ])

const creditedText = ({ creditedAmount, currency }: Deposit): string =>
  creditedAmount === null ? '' : money(creditedAmount, currency)

const depositText = (environment: Environment, deposit: Deposit): string => {
  const detail = (name: string, value: string | number | null) =>
    value === null || value === '' ? null : ([name, String(value)] as const)
  return detailsText(
    [
      ['deposit', deposit.id],
      ['method', deposit.method],
      ['status', deposit.status],
      detail('reason', deposit.reason),
      detail('asked for', deposit.payAmountToken),
      detail('arrived', deposit.receivedAmountToken),
      detail('token', deposit.token),
      detail('chain', deposit.chain),
      detail('address', deposit.address),
      detail('transaction', deposit.txHash),
      detail('confirmations', deposit.confirmations),
      detail('credited', creditedText(deposit)),
      detail('expires', deposit.expiresAt === null ? null : moment(deposit.expiresAt)),
      ['created', moment(deposit.createdAt)],
      ['changed', moment(deposit.updatedAt)],
    ],
    environment.terminal.outPaint.dim,
  )
}
