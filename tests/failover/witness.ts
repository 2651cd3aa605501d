// What is seen over all failures: by a merchant's follower and its endpoint, and in the leases of jobs.
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { Tradepost } from '../../packages/sdk/src/index.ts'
import { followUser } from '../../packages/sdk/src/live/index.ts'
import type { Client } from '../support/client.ts'
import { until } from '../support/until.ts'
import type { Webhooks } from '../support/webhooks.ts'
import { keepLooking } from './looking.ts'

export interface Witness {
  /** Broken promises. Nothing may be bought any more. */
  judge(): Promise<string[]>
  stop(): void
}

export async function startWitness({
  db,
  merchant: { baseUrl, apiKey },
  behalf,
  webhooks,
}: {
  readonly db: Db
  readonly merchant: Client
  readonly behalf: string
  readonly webhooks: Webhooks
}): Promise<Witness> {
  const tradepost = new Tradepost({ baseUrl, apiKey })
  const follower = follow(tradepost, behalf)
  const leases = watchLeases(db)
  return {
    judge: async () => [
      ...leases.broken,
      ...(await judgeEvents({ tradepost, follower, webhooks })),
    ],
    stop: () => {
      follower.stop()
      leases.stop()
    },
  }
}

interface Follower {
  /** Events by id, from the socket, and after each interruption from the list that `after` reads. */
  readonly seen: ReadonlySet<string>
  stop(): void
}

function follow(tradepost: Tradepost, behalf: string): Follower {
  const seen = new Set<string>()
  let last: string = 'start'
  const user = followUser({ account: tradepost.as(behalf) })
  const catchUp = async (): Promise<void> => {
    for (;;) {
      const { items } = await tradepost.events.after(last)
      for (const { id } of items) seen.add(id)
      const newest = items.at(-1)
      if (newest === undefined) return
      last = newest.id
    }
  }
  const read = async (): Promise<void> => {
    for await (const update of user) {
      if (update.type === 'ready') await until('missed events', () => catchUp().then(() => true))
      else seen.add(update.id)
    }
  }
  const reading = read()
  reading.catch(() => {})
  return { seen, stop: () => user.stop() }
}

async function judgeEvents({
  tradepost,
  follower,
  webhooks,
}: {
  readonly tradepost: Tradepost
  readonly follower: Follower
  readonly webhooks: Webhooks
}): Promise<string[]> {
  const broken: string[] = []
  const events = new Map<string, string>()
  for await (const { id, type, data } of tradepost.events.list({ limit: 100 }))
    if ('trade' in data) events.set(id, `${type} of ${data.trade.id}`)
  for (const [name, ids] of Map.groupBy(events.keys(), (id) => events.get(id) ?? ''))
    if (ids.length > 1) broken.push(`${name} has ${ids.length} ids`)
  const missingOf = (ids: Iterable<string>): string[] => {
    const known = new Set(ids)
    return [...events].filter(([id]) => !known.has(id)).map(([, name]) => name)
  }
  const wait = async (what: string, ids: () => Iterable<string>): Promise<void> => {
    await until(what, () => missingOf(ids()).length === 0).catch(() => {
      broken.push(...missingOf(ids()).map((name) => `${name}: ${what} did not get it`))
    })
  }
  await wait('the follower', () => follower.seen)
  await wait('the endpoint', () => webhooks.all().map(({ id }) => id))
  return broken
}

// Not those of bots' sessions, which are given back after each call.
const LIST_LEASES = sql(
  'drill.list_leases',
  `select name, holder, until, now() "at" from infra.lease
   where name in (select job from infra.heartbeat)`,
)
interface Lease {
  readonly name: string
  readonly holder: string
  readonly until: Date
  readonly at: Date
}

/** A holder that changes before the lease of the other one has ended: two may have run the job. */
function watchLeases(db: Db): { readonly broken: readonly string[]; stop(): void } {
  const broken: string[] = []
  const known = new Map<string, Lease>()
  const look = async (): Promise<void> => {
    for (const lease of await db.query<Lease>(LIST_LEASES)) {
      const before = known.get(lease.name)
      // A woken primary shows old rows until it has noticed that it is none.
      if (before !== undefined && lease.until < before.until) continue
      if (before !== undefined && before.holder !== lease.holder && before.until > lease.at)
        broken.push(`the lease ${lease.name} was taken before its end`)
      known.set(lease.name, lease)
    }
  }
  return { broken, stop: keepLooking(look) }
}
