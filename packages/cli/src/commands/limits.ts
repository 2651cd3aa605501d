// What of the rate limits is used. Asking is free.
import { type Cli, type CommonOptions, command, show, table } from '../cli.ts'
import type { LimitsResponse } from '../sdk.ts'
import type { World } from '../world.ts'

export function addLimits({ program, world, session }: Cli): void {
  command(program, 'limits', 'rate limits, and what of them is used').action(
    async (options: CommonOptions) => {
      const { tradepost } = session(options)
      const limits = await tradepost.merchant.limits({ signal: world.signal })
      show(world, options, limits, () => limitsText(world, limits))
    },
  )
}

function limitsText(world: World, { tier, budget, caps, costs }: LimitsResponse): string {
  const { bold, dim, bad } = world.terminal.outPaint
  const rows = [
    { name: 'budget', level: budget },
    ...caps.map((cap) => ({ name: cap.policy, level: cap })),
  ]
  const used = table(world, rows, [
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
