// Payouts of crypto: what is in custody, withdrawals, and what became of them.
import { type Cli, type CommonOptions, centsOf, command, show, table, wholeNumber } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, isNoSuchId, usageError } from '../failure.ts'
import { statusPaint } from '../paint.ts'
import type {
  CreateWithdrawalBody,
  PayoutQuote,
  PayoutQuoteBody,
  Tradepost,
  WithdrawalRecord,
} from '../sdk.ts'
import { detailsText } from '../table.ts'
import { clean, moment, money } from '../text.ts'
import { confirm } from './confirm.ts'
import { addPayoutBatches } from './payout-batches.ts'

type Payouts = Tradepost['payouts']

interface SubmitOptions extends CommonOptions {
  readonly chain: string
  readonly token: string
  readonly to: string
  readonly forUser?: string
  readonly externalId?: string
  readonly yes?: boolean
}

interface ListOptions extends CommonOptions {
  readonly limit: number
  readonly status?: string
}

export function addPayouts({ program, environment, session }: Cli): void {
  const payouts = program.command('payouts').description('withdrawals of crypto from custody')
  const { signal } = environment
  const of = (options: CommonOptions) => session(options).tradepost.payouts

  command(payouts, 'submit <amount>', 'withdraw so many US dollars to an address outside')
    .requiredOption('--to <address>', 'where it goes')
    .option('--chain <chain>', 'chain to pay on', 'base')
    .option('--token <token>', 'USDT, USDC or NATIVE', 'USDC')
    .option('--for-user <reference>', 'sub-user to withdraw for')
    .option('--external-id <id>', 'your own id; the same id never pays twice')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nYour approval callback decides. Without --external-id one is made and printed before anything\nis sent. If no answer comes, repeat the command with it: it pays once.',
    )
    .action(async (amount: string, options: SubmitOptions) => {
      const { chain, token, to: destination, forUser } = options
      const externalId = options.externalId ?? `cli-${environment.newId()}`
      const body = {
        ...{ externalId, chain, token, destination, amountCents: centsOf(amount) },
        ...(forUser !== undefined && { forUser }),
      } as CreateWithdrawalBody
      environment.terminal.note(`${amount} USD in ${token} on ${chain} to ${destination}`)
      await confirm(environment, options, { question: 'Withdraw it?', done: 'withdrawn' })
      environment.terminal.note(`external id  ${externalId}`)
      // Not interruptible: after Ctrl-C the outcome would be unknown.
      const created = await of(options).withdraw(body)
      show(environment, options, created, () => withdrawalText(environment, created))
    })

  command(payouts, 'list', 'the newest withdrawals')
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
    .option('--status <status>', 'filter by status')
    .action(async (options: ListOptions) => {
      const { limit, status } = options
      const query = { limit, ...(status !== undefined && { status }) } as object
      const items: WithdrawalRecord[] = []
      for await (const one of of(options).list(query, { signal })) {
        items.push(one)
        if (items.length === limit) break
      }
      show(environment, options, items, () =>
        items.length === 0 ? 'No withdrawals.' : listText(environment, items),
      )
    })

  command(payouts, 'status <id>', 'one withdrawal, by its id or your external id').action(
    async (id: string, options: CommonOptions) => {
      const withdrawal = await find(of(options), id, signal)
      show(environment, options, withdrawal, () => withdrawalText(environment, withdrawal))
    },
  )

  command(payouts, 'quote <amount>', 'what a withdrawal of so many US dollars costs now')
    .option('--chain <chain>', 'on which chain', 'base')
    .option('--token <token>', 'USDT, USDC or NATIVE', 'USDC')
    .action(async (amount: string, options: SubmitOptions) => {
      const { chain, token } = options
      const asked = { chain, token, amountCents: centsOf(amount) } as PayoutQuoteBody
      const quote = await of(options).quote(asked, { signal })
      show(environment, options, quote, () => quoteText(environment, asked, quote))
    })

  addPayoutBatches(payouts, { environment, of })

  command(payouts, 'balances', 'what is in custody').action(async (options: CommonOptions) => {
    const found = await of(options).balances({}, { signal })
    show(environment, options, found, () => {
      if (found.balances.length === 0) {
        return `Nothing is in custody. Where to pay in: ${environment.commandLine('payouts address')}`
      }
      return table(environment, found.balances, [
        { title: 'CHAIN', cell: ({ chain }) => chain },
        { title: 'TOKEN', cell: ({ token }) => token },
        {
          title: 'USD',
          cell: ({ amountCents }) => money(amountCents / 100, 'USD'),
          align: 'right',
        },
        {
          title: 'ARRIVING',
          cell: ({ pendingCents }) => money(pendingCents / 100, 'USD'),
          align: 'right',
        },
      ])
    })
  })

  command(payouts, 'address', 'where custody is put in').action(async (options: CommonOptions) => {
    const found = await of(options).address({}, { signal })
    show(environment, options, found, () =>
      [found.address, found.chains.join(', '), found.tokens.join(', ')].join('\n'),
    )
  })
}

function quoteText(
  { terminal }: Environment,
  { chain, token, amountCents }: PayoutQuoteBody,
  { amountWei, feeWei, feeCents, validForSeconds }: PayoutQuote,
): string {
  const decimals = token === 'NATIVE' ? 18 : decimalsOfDollar(amountWei, amountCents)
  const coin = token === 'NATIVE' ? (chain === 'bsc' ? 'BNB' : 'ETH') : token
  const units = (wei: string): string => `${decimalText(wei, decimals)} ${coin}`
  return detailsText(
    [
      ['receives', `${units(amountWei)} on ${chain}`],
      ['fee', `${units(feeWei)}, ${money(feeCents / 100, 'USD')}`],
      // Until it ends, asking again answers this one.
      ['valid', `${validForSeconds} s, then there is a new one`],
    ],
    terminal.outPaint.dim,
  )
}

/** Of a token of which one is one dollar: how many base units are in a dollar is the power of ten. */
const decimalsOfDollar = (amountWei: string, amountCents: number): number =>
  ((BigInt(amountWei) * 100n) / BigInt(amountCents)).toString().length - 1

function decimalText(wei: string, decimals: number): string {
  const digits = wei.padStart(decimals + 1, '0')
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${digits.slice(0, digits.length - decimals)}.${rest.padEnd(2, '0')}`
}

/** A withdrawal by its id or else by its external id. */
async function find(payouts: Payouts, id: string, signal: AbortSignal): Promise<WithdrawalRecord> {
  try {
    return await payouts.get(id, { signal })
  } catch (error) {
    if (!isNoSuchId(error, 'CRYPTO_PAYOUT_NOT_FOUND')) throw error
  }
  const found: WithdrawalRecord[] = []
  for await (const one of payouts.list({ externalId: id, limit: 20 }, { signal })) found.push(one)
  const [withdrawal] = found
  if (withdrawal === undefined) {
    const message = `There is no withdrawal with the id or external id ${clean(id)}.`
    throw new CommandError(message, EXIT.refused)
  }
  if (found.length > 1) {
    throw usageError(
      `${found.length} withdrawals have this external id: name one by its id.`,
      ...found.map((one) => `${one.id} for ${clean(one.forUserExternalId ?? 'the merchant')}`),
    )
  }
  return withdrawal
}

const momentOf = (at: string | null): string | null => (at === null ? null : moment(at))

const listText = (environment: Environment, withdrawals: readonly WithdrawalRecord[]): string =>
  table(environment, withdrawals, [
    { title: 'CREATED (UTC)', cell: ({ createdAt }) => momentOf(createdAt) ?? '', drops: 2 },
    { title: 'WITHDRAWAL', cell: ({ id }) => id },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      paint: ({ status }) => statusPaint(environment.terminal.outPaint, status),
    },
    { title: 'USD', cell: ({ amountCents }) => money(amountCents / 100, 'USD'), align: 'right' },
    { title: 'TOKEN', cell: ({ token, chain }) => `${token} on ${chain}`, drops: 1 },
    { title: 'TO', cell: ({ destination }) => destination, shrinks: true, drops: 3 },
    { title: 'EXTERNAL ID', cell: ({ externalId }) => externalId, shrinks: true },
  ])

const withdrawalText = (environment: Environment, one: WithdrawalRecord): string => {
  const detail = (name: string, value: string | null) =>
    value === null ? null : ([name, value] as const)
  return detailsText(
    [
      ['withdrawal', one.id],
      ['status', one.status],
      detail('reason', one.failureReason),
      ['amount', `${money(one.amountCents / 100, 'USD')} in ${one.token} on ${one.chain}`],
      ['fee', money(one.feeCents / 100, 'USD')],
      ['to', one.destination],
      ['external id', one.externalId],
      detail('for', one.forUserExternalId),
      detail('transaction', one.txHash),
      detail('created', momentOf(one.createdAt)),
      detail('sent', momentOf(one.broadcastAt)),
      detail('confirmed', momentOf(one.confirmedAt)),
    ],
    environment.terminal.outPaint.dim,
  )
}
