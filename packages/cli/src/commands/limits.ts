// The rate limits and their use. The call is free.
import { type Cli, type CommonOptions, command, show, table } from '../cli.ts'
import type { Environment } from '../environment.ts'
import type { LimitsResponse } from '../sdk.ts'

export function addLimits({ program, environment, session }: Cli): void {
  command(program, 'limits', 'rate limits, and what of them is used').action(
    async (options: CommonOptions) => {
      const { tradepost } = session(options)
      const limits = await tradepost.merchant.limits({ signal: environment.signal })
      show(environment, options, limits, () => limitsText(environment, limits))
    },
  )
}

function limitsText(
  environment: Environment,
  { tier, budget, caps, costs }: LimitsResponse,
): string {
  const { bold, dim, bad } = environment.terminal.outPaint
  const rows = [
    { name: 'budget', level: budget },
    ...caps.map((cap) => ({ name: cap.policy, level: cap })),
  ]
  const used = table(environment, rows, [
    { title: 'LIMIT', cell: ({ name }) => name },
    { title: 'USED', cell: ({ level }) => String(level.used), align: 'right' },
    {
      title: 'LEFT',
      cell: ({ level }) => String(level.remaining),
      align: 'right',
      paint: ({ level }) => (level.remaining === 0 ? bad : (text) => text),
    },
    { title: 'OF', cell: ({ level }) => String(level.limit), align: 'right' },
    { title: 'IN', cell: ({ level }) => `${level.windowSeconds} s`, align: 'right' },
    { title: 'MORE AFTER', cell: ({ level }) => `${level.resetSeconds} s`, align: 'right' },
  ])
  const dear = costs
    .filter(({ cost }) => cost > 1)
    .map(({ method, path, cost }) => `${method} ${path} costs ${cost}`)
  return [bold(`tier ${tier}`), used, dim(['Other calls cost 1.', ...dear].join('\n'))].join('\n')
}
