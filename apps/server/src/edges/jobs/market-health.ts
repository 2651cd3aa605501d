// Asks a market every second or two whether it answers. One that does not is taken off sale before
// the first buyer is affected.
import type { Catalog, MarketFeed } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { formatMills } from '#kernel/money'
import { cut } from '#kernel/text'

export interface MarketHealthDeps {
  readonly catalog: Catalog
  readonly feed: Pick<MarketFeed, 'id' | 'health'>
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs?: number
}

/** One lost answer may be the network's; two in a row are the market's. The first good one ends it. */
const FAILURES_TO_OFFLINE = 2
/** Beyond the adapter's own deadline: a promise that never settles must not stop the checks. */
const DEADLINE_MS = 10_000

export function createMarketHealth({
  catalog,
  feed,
  log,
  metrics,
  everyMs = 1500,
}: MarketHealthDeps): Job {
  const online = metrics.gauge('market_online', '1 while a market answers', ['market'])
  const settling = metrics.gauge(
    'market_settling_dollars',
    'Money of ours at a market that cannot be spent yet, beside the balance',
    ['market'],
  )
  let failures = 0
  return {
    name: `health-${feed.id}`,
    everyMs,
    singleton: true,
    figures: [online, settling],
    work: async () => {
      const answer = await ask(feed)
      failures = answer.online ? 0 : failures + 1
      if (answer.settlingMills != null) {
        settling.labels(feed.id).set(Number(answer.settlingMills) / 1000)
      }
      if (!answer.online && failures < FAILURES_TO_OFFLINE) return false
      const changed = await catalog.markMarket(feed.id, { ...answer, detail: detailOf(answer) })
      // After the commit: what the gauge says is what a buyer meets.
      online.labels(feed.id).set(answer.online ? 1 : 0)
      if (changed) {
        const fields = { event: 'market_health', market: feed.id, detail: answer.detail }
        if (answer.online) log.info(fields, 'market online')
        else log.warn(fields, 'market offline: taken off sale')
      }
      return false
    },
  }
}

/** For operators: money that settles is shown, and counted nowhere. */
const detailOf = ({ detail, settlingMills = null }: Awaited<ReturnType<MarketFeed['health']>>) =>
  settlingMills === null || settlingMills <= 0n
    ? detail
    : `${detail}; ${formatMills(settlingMills)} dollars settle`

async function ask(feed: MarketHealthDeps['feed']): ReturnType<MarketFeed['health']> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), DEADLINE_MS)
  })
  try {
    return await Promise.race([feed.health(), late])
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { online: false, balanceMills: null, account: null, detail: cut(detail, 200) }
  } finally {
    clearTimeout(timer)
  }
}
