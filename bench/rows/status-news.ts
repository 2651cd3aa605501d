// A change of the service's status, which is an event of each of fifty thousand merchants: how long it takes
// until all are notified, and how old another merchant's own events are meanwhile, beside the same without a
// change.
import { readRows, runScript, withClient } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { compare, p99Of, type Side, scatterOf } from '../rounds.ts'
import type { DeliverMethods } from '../servers/deliver.ts'
import type { FanOutReceiverMethods } from '../servers/fan-out-receiver.ts'
import { buyersDatabase } from './buyers-database.ts'
import { ms, type RunRow } from './row.ts'

const NAME = 'bench_status_news'
const MERCHANTS = { quick: 2000, full: 50_000 }
const TRADES = 500
/** One merchant has an event of its own so often. */
const TICK_MS = 100
/** Without a change it is watched for so long. */
const QUIET_MS = { quick: 2000, full: 10_000 }
const MOST_AGE_MS = 1000
const MOST_SECONDS = 60
/** A slow machine may need longer than the aim; what is not posted by then is waiting for something else. */
const GIVE_UP_MS = 1_800_000
const NO_ILLS = { silent: 0, slow: 0, alternating: 0 }

export const runStatusNews: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const count = isQuick ? MERCHANTS.quick : MERCHANTS.full
  const url = await installation.clone(await buyersDatabase(bench), NAME)
  await seedTrades(url, { count: TRADES, say })
  const servers = `${import.meta.dirname}/../servers`
  const receiver = startHelper<FanOutReceiverMethods>(`${servers}/fan-out-receiver.ts`)
  const deliver = startHelper<DeliverMethods>(`${servers}/deliver.ts`, installation)
  try {
    const port = await receiver.call('listen')
    const [busy] = await readRows<{ id: string }>(url, BUSY)
    if (busy === undefined) throw new Error('there is no trade')
    say(`writing ${count.toLocaleString('en')} merchants with an endpoint each`)
    await runScript(url, merchantsSql(count))
    const others = await readRows<{ id: string }>(url, OTHERS)
    await deliver.call('open', {
      databaseUrl: url,
      endpoints: [busy.id, ...others.map(({ id }) => id)].map((tenantId) => ({
        // The receiver watches what is posted to an endpoint from 0 on.
        ...{ tenantId, url: `http://127.0.0.1:${port}/hooks/${tenantId === busy.id ? 0 : -1}` },
      })),
    })
    await runScript(url, 'update webhooks.endpoint set proven_at = now()', 'vacuum analyze')
    const notified: number[] = []
    const side = (hasNews: boolean): Side => ({
      pid: deliver.pid,
      run: async () => {
        await runScript(url, CLEAR)
        await receiver.call('begin', { isIll: false, ills: NO_ILLS })
        await deliver.call('start')
        const startedAt = performance.now()
        if (hasNews) await runScript(url, CHANGE)
        let emitted = 0
        const isOver = async (): Promise<boolean> => {
          const elapsedMs = performance.now() - startedAt
          if (!hasNews) return elapsedMs >= (isQuick ? QUIET_MS.quick : QUIET_MS.full)
          const left = Number((await readRows<{ left: string }>(url, LEFT))[0]?.left)
          if (elapsedMs > GIVE_UP_MS) throw new Error(`${left} merchants were not posted to`)
          return left === 0
        }
        await withClient(url, async (client) => {
          while (!(await isOver())) {
            await client.query(EMIT, [busy.id, emitted++, new Date()])
            await new Promise((resolve) => setTimeout(resolve, TICK_MS))
          }
        })
        const seconds = (performance.now() - startedAt) / 1000
        if (hasNews) notified.push(seconds)
        const ages = await receiver.call('ages', emitted)
        await deliver.call('stop')
        return {
          count: ages.length,
          perSecond: hasNews ? count / seconds : ages.length / seconds,
          p50Ms: ages[Math.floor(ages.length * 0.5)] ?? Number.NaN,
          p99Ms: ages[Math.floor(ages.length * 0.99)] ?? Number.NaN,
        }
      },
    })
    const compared = await compare({ ours: side(true), peer: side(false) }, { rounds, say })
    const [seconds, p99Ms] = [Math.max(...notified), p99Of(compared.ours)]
    return [
      {
        path: `a change of the status reported to ${count.toLocaleString('en')} merchants, each with an endpoint`,
        ours: `all posted after ${seconds.toFixed(1)} s; another merchant’s own events meanwhile p99 ${ms(p99Ms)} old`,
        peer: `without a change p99 ${ms(p99Of(compared.peer))}`,
        ratio: `p99 × ${(p99Ms / p99Of(compared.peer)).toFixed(2)}`,
        aim: `≤ ${MOST_SECONDS} s, p99 < ${MOST_AGE_MS} ms`,
        reached: seconds <= MOST_SECONDS && p99Ms < MOST_AGE_MS,
        scatter: scatterOf(compared),
        note: 'one worker process announces, dispatches and posts',
        rounds: compared,
      },
    ]
  } finally {
    await Promise.all([receiver.stop(), deliver.stop()])
    await installation.drop(NAME)
  }
}

const BUSY = 'select tenant_id id from trades.trade order by id limit 1'

const merchantsSql = (count: number): string => `
  insert into identity.account
      (id, kind, currency, email, name, fee_bps, buy_fee_bps, sell_fee_bps, child_default_fee_bps, created_at, updated_at)
    select uuidv7(), 'merchant', 'USD', 'news-' || n || '@bench.example', 'news-' || n, 500, 0, 0, 500, now(), now()
    from generate_series(1, ${count}) n`

const OTHERS = "select id from identity.account where name like 'news-%'"

const CLEAR = `
  truncate webhooks.attempt, webhooks.delivery, outbox.event;
  update status.period set announced_at = now() where announced_at is null`

const CHANGE = `
  insert into status.period (component, name, status, previous, from_at, until_at)
  values ('market', 'market_a', 'down', 'operational', now() - interval '1 minute', now())`

/** Merchants that were not posted to yet. */
const LEFT = `
  select case when exists (select from status.period where announced_at is null) then 1
    else (select count(*) from outbox.event where dispatched_at is null and type = 'service.status_changed')
      + (select count(*) from webhooks.delivery where status in ('pending', 'retrying')
          and event_type = 'service.status_changed') end "left"`

const EMIT = `
  insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, dedupe_key, created_at)
  select 'trade.pending', 'trade', t.tenant_id, t.account_id, t.id, 'bench:' || $2::int, $3::timestamptz
  from trades.trade t where t.tenant_id = $1 order by t.id offset $2::int % ${TRADES} limit 1`
