// Webhook deliveries from a backlog: events of trades in the outbox, to the moment when each delivery is
// recorded as delivered, against a loop that posts the same signed bodies from memory.

import { readRows, runScript } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { compare, type Side } from '../rounds.ts'
import type { DeliverMethods } from '../servers/deliver.ts'
import type { PostMethods } from '../servers/post.ts'
import type { ReceiverMethods } from '../servers/receiver.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type RunRow, rateLine } from './row.ts'

/** Three events for each of these trades. */
const TRADES = { quick: 1000, full: 10_000 }

export const runWebhooks: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const trades = isQuick ? TRADES.quick : TRADES.full
  const url = await installation.clone(await buyersDatabase(bench), 'bench_webhooks')
  await seedTrades(url, { count: trades, say })
  const count = 3 * trades
  const servers = `${import.meta.dirname}/../servers`
  const receiver = startHelper<ReceiverMethods>(`${servers}/receiver.ts`)
  const deliver = startHelper<DeliverMethods>(`${servers}/deliver.ts`, installation)
  const post = startHelper<PostMethods>(`${servers}/post.ts`)
  try {
    const origin = `http://127.0.0.1:${await receiver.call('listen')}`
    const [merchant] = await readRows<{ id: string }>(
      url,
      'select distinct tenant_id id from trades.trade',
    )
    await deliver.call('open', {
      databaseUrl: url,
      endpoints: [{ tenantId: merchant?.id ?? '', url: `${origin}/hooks` }],
    })
    const timed = async (work: () => Promise<void>) => {
      await receiver.call('reset')
      const startedAt = performance.now()
      await work()
      const perSecond = (count * 1000) / (performance.now() - startedAt)
      return { count, perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN }
    }
    const ours: Side = {
      pid: deliver.pid,
      run: async () => {
        await runScript(url, REFILL, TIDY)
        const result = await timed(async () => {
          await deliver.call('start')
          await receiver.call('waitFor', count)
          await untilRecorded(url, count)
        })
        await deliver.call('stop')
        return result
      },
    }
    let isLoaded = false
    const peer: Side = {
      pid: post.pid,
      run: async () => {
        if (!isLoaded) {
          const loaded = await post.call('load', { databaseUrl: url, receiverUrl: origin, count })
          if (loaded !== count) throw new Error(`${loaded} posts of ${count} to repeat`)
        }
        isLoaded = true
        return timed(async () => {
          await post.call('postAll')
          if ((await receiver.call('posts')) !== count) throw new Error('posts are missing')
        })
      },
    }
    const compared = await compare({ ours, peer }, { rounds, say })
    return [
      rateLine(
        'webhook deliveries, backlog to one endpoint',
        compared,
        { ratio: 0.5 },
        `${count.toLocaleString('en')} deliveries a round, from undispatched events to the recorded attempt`,
      ),
    ]
  } finally {
    await Promise.all([receiver.stop(), deliver.stop(), post.stop()])
    await installation.drop('bench_webhooks')
  }
}

const REFILL = `
  truncate webhooks.attempt, webhooks.delivery;
  update outbox.event set dispatched_at = null, position = null;`

const TIDY = 'vacuum analyze outbox.event'

async function untilRecorded(url: string, count: number): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const [row] = await readRows<{ done: number }>(
      url,
      `select count(*)::int done from webhooks.delivery where status = 'delivered'`,
    )
    if (row?.done === count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('deliveries arrived and were not recorded')
}
