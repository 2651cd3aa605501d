// The statement of a month: of a merchant or a sub-user, of a partner or a child.
import { type Cli, type CommonOptions, calendarMonth, command, show, table } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { usageError } from '../failure.ts'
import type { partner, Statement } from '../sdk.ts'
import { money } from '../text.ts'

interface StatementOptions extends CommonOptions {
  readonly month?: string
  readonly user?: string
}

export function addStatement({ program, environment, anySession }: Cli): void {
  command(program, 'statement', 'what moved in a month, by wallet and type')
    .option(
      '--month <month>',
      'such as 2026-10, in UTC; the running month unless given',
      calendarMonth,
    )
    .option('--user <user>', 'of this sub-user, by its id or your externalId')
    .action(async (options: StatementOptions) => {
      const session = anySession(options)
      const { month, user } = options
      const { signal } = environment
      const asked = { ...(month !== undefined && { month }) }
      if (session.speaks === 'partner' && user !== undefined) {
        throw usageError('A partner reads the statement of a child with the key of the child.')
      }
      const statement =
        session.speaks === 'partner'
          ? await session.account.account.statement(asked, { signal })
          : await session.tradepost.merchant.statement(
              { ...asked, ...(user !== undefined && { subUserId: user }) },
              { signal },
            )
      show(environment, options, statement, () =>
        statementText(environment, statement, session.speaks),
      )
    })
}

interface Line {
  readonly name: string
  readonly count: string
  readonly credit: string
  readonly debit: string
  readonly balance: string
}

function statementText(
  environment: Environment,
  { month, number, wallets }: Statement | partner.PartnerStatement,
  earner: 'merchant' | 'partner',
): string {
  const { bold, dim } = environment.terminal.outPaint
  const title = number === null ? `${month}, open` : `${month}, closed as ${number}`
  const texts = wallets.map(({ wallet, currency, opening, closing, rows, fees }) => {
    const lines: readonly Line[] = [
      { ...NO_SUMS, name: 'opening', balance: money(opening, currency) },
      ...rows.map(({ type, count, credit, debit }) => ({
        ...{ ...NO_SUMS, name: type, count: String(count) },
        ...{ credit: money(credit, currency), debit: money(debit, currency) },
      })),
      { ...NO_SUMS, name: 'closing', balance: money(closing, currency) },
    ]
    const [house, earned] = [money(fees.house, currency), money(fees.merchant, currency)]
    return [
      bold(`${wallet}, ${currency}`),
      table(environment, lines, COLUMNS),
      ...(wallet === 'spot'
        ? [dim(`fees of what settled: service ${house}, ${earner} ${earned}`)]
        : []),
    ].join('\n')
  })
  return [bold(title), ...texts].join('\n\n')
}

const NO_SUMS = { count: '', credit: '', debit: '', balance: '' }

const COLUMNS = [
  { title: 'TYPE', cell: ({ name }: Line) => name },
  { title: 'ENTRIES', cell: ({ count }: Line) => count, align: 'right' },
  { title: 'CREDIT', cell: ({ credit }: Line) => credit, align: 'right' },
  { title: 'DEBIT', cell: ({ debit }: Line) => debit, align: 'right' },
  { title: 'BALANCE', cell: ({ balance }: Line) => balance, align: 'right' },
] as const
