// The status of the service.
import { type Cli, type CommonOptions, command, show, table } from '../cli.ts'
import type { Environment } from '../environment.ts'
import type { ServiceStatus } from '../sdk.ts'
import { clean, moment } from '../text.ts'

export function addStatus({ program, environment, session }: Cli): void {
  command(program, 'status', 'which parts of the service work, since when').action(
    async (options: CommonOptions) => {
      const { tradepost } = session(options)
      const status = await tradepost.market.status({ signal: environment.signal })
      show(environment, options, status, () => statusText(environment, status))
    },
  )
}

interface Line {
  readonly part: string
  readonly status: string
  readonly since: string
  readonly more: string
}

function statusText(
  environment: Environment,
  { trading, markets, platform, deposits, payouts, webhookAddresses }: ServiceStatus,
): string {
  const { good, bad, warn, dim } = environment.terminal.outPaint
  const line = (part: string, { status, since }: StateOf, more = ''): Line => ({
    ...{ part, status, since, more },
  })
  const lines = [
    line('trading', trading, trading.reason ?? ''),
    ...markets.map((one) => line(one.market, one, marketText(one))),
    line('platform', platform),
    ...deposits.map((one) => line(`deposits ${one.chain ?? one.method}`, one)),
    ...payouts.map((one) => line(`payouts ${one.chain}`, one)),
  ]
  const paints: Readonly<Record<string, (text: string) => string>> = {
    ...{ operational: good, degraded: warn, disabled: dim },
    ...{ down: bad, paused: bad },
  }
  const text = table(environment, lines, [
    { title: 'PART', cell: ({ part }) => part },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      paint: ({ status }) => paints[status] ?? warn,
    },
    { title: 'SINCE (UTC)', cell: ({ since }) => moment(since) },
    { title: 'MORE', cell: ({ more }) => clean(more) },
  ])
  const from = webhookAddresses.length === 0 ? 'not named' : webhookAddresses.join(', ')
  return [text, dim(`webhooks come from: ${from}`)].join('\n')
}

interface StateOf {
  readonly status: string
  readonly since: string
}

const marketText = ({
  listings,
  expectedPlacementSeconds: seconds,
}: ServiceStatus['markets'][number]): string =>
  [`${listings} listings`, ...(seconds === null ? [] : [`orders placed in ${seconds} s`])].join(
    ', ',
  )
