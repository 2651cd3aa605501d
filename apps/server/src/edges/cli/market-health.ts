// The health of the markets, and which jobs of the workers fail, on the command line.
import { createCatalog } from '#catalog'
import { listAllHeartbeats } from '#infra/jobs/heartbeats'
import { formatMills } from '#kernel/money'
import { readMarketHealth } from '#operations'
import type { Context } from './context.ts'
import { AS_JSON, command } from './declare.ts'
import { json, table } from './table.ts'

export const marketHealthCommand = command(
  'market-health',
  'the workers of each market, its queue, its health',
  AS_JSON,
).does(marketHealth)

async function marketHealth(
  { db, clock }: Context,
  options: { readonly json?: true },
): Promise<string> {
  const { listMarkets } = createCatalog({ db, clock })
  const health = await readMarketHealth({ db, clock, listMarkets })
  const failing = (await listAllHeartbeats(db)).filter(({ error }) => error !== null)
  if (options.json) {
    const failingJobs = failing.map(({ job, processId, beatAt, error }) => ({
      ...{ job, processId, beatAt, error },
    }))
    return json({ ...health, failingJobs }, 2)
  }
  const markets = Object.entries(health.markets).map(([market, entry]) => ({
    market,
    status: entry.status,
    service: health.service[market as keyof typeof health.service] ? 'on' : 'off',
    waiting: entry.commonQueue.depth,
    'oldest s': seconds(entry.commonQueue.oldestAgeMs),
    'expected wait s': entry.expectedWaitSeconds,
    consumers: entry.commonConsumers,
  }))
  const workers = Object.entries(health.markets).flatMap(([market, entry]) =>
    entry.workers.map(({ workerId, status, breaker, heartbeat }) => ({
      market,
      worker: workerId,
      status,
      breaker,
      'beat s': seconds(heartbeat?.ageMs ?? null),
      dollars: dollarsOf(heartbeat?.balanceMills ?? null),
    })),
  )
  return [
    `The markets are ${health.status}.${failing.length === 0 ? '' : ` ${jobsFail(failing.length)}, see below.`}`,
    '',
    table(markets, [
      'market',
      'status',
      'service',
      'waiting',
      'oldest s',
      'expected wait s',
      'consumers',
    ]),
    '',
    table(workers, ['market', 'worker', 'status', 'breaker', 'beat s', 'dollars']),
    ...failing.map(({ job, error }) => `\nThe job ${job} fails: ${error}`),
  ].join('\n')
}

const jobsFail = (count: number): string => (count === 1 ? 'A job fails' : `${count} jobs fail`)

const seconds = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds / 1000)

const dollarsOf = (mills: bigint | null): string | null =>
  mills === null ? null : formatMills(mills)
