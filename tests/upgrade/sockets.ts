// Programs of a merchant that follow the market and some of its users over sockets, and go on when one ends.
import { isDeepStrictEqual } from 'node:util'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { Tradepost } from '../../packages/sdk/src/index.ts'
import { followMarket, followUser, type MarketFollower } from '../../packages/sdk/src/live/index.ts'
import type { Client } from '../support/client.ts'
import { until } from '../support/until.ts'

export interface Followers {
  /** How often a socket ended and another was opened. */
  resumed(): number
  /** Broken promises, once nothing happens any more. */
  judge(db: Db): Promise<string[]>
  stop(): void
}

const MARKET_FOLLOWERS = 2

export async function startFollowers(
  { baseUrl, apiKey }: Client,
  names: readonly string[],
): Promise<Followers> {
  const tradepost = new Tradepost({ baseUrl, apiKey })
  const opened: URL[] = []
  /** Notes where each socket resumes. */
  class Noted extends WebSocket {
    constructor(url: string) {
      super(url)
      opened.push(new URL(url))
    }
  }
  const markets = Array.from({ length: MARKET_FOLLOWERS }, () =>
    followMarket({ account: tradepost, WebSocket: Noted }),
  )
  const users = names.map((name) => follow(tradepost, name))
  await Promise.all(markets.map(({ synced }) => synced))
  const first = markets.length + users.length
  await until('every follower is there', () => opened.length >= first)
  return {
    resumed: () => opened.length - first,
    judge: async (db) => [
      ...(await judgeMarkets(tradepost, markets)),
      ...(await Promise.all(users.map((user) => judgeUser(db, user)))).flat(),
      ...(opened.some((url) => url.searchParams.has('since'))
        ? []
        : ['no follower of the market has resumed by `since`']),
    ],
    stop: () => {
      for (const { stop } of [...markets, ...users]) stop()
    },
  }

  function follow(account: Tradepost, name: string): User {
    const seen = new Set<string>()
    let last: string = 'start'
    const live = followUser({ account: account.as(name), WebSocket: Noted })
    const catchUp = async (): Promise<void> => {
      for (;;) {
        const { items } = await account.events.after(last)
        for (const { id } of items) seen.add(id)
        const newest = items.at(-1)
        if (newest === undefined) return
        last = newest.id
      }
    }
    const read = async (): Promise<void> => {
      for await (const update of live) {
        if (update.type === 'ready') await catchUp()
        else seen.add(update.id)
      }
    }
    const reading = read()
    let failure: string | null = null
    reading.catch((error: unknown) => {
      failure = String(error)
    })
    return { name, seen, failure: () => failure, stop: live.stop }
  }
}

interface User {
  readonly name: string
  readonly seen: ReadonlySet<string>
  failure(): string | null
  stop(): void
}

async function judgeMarkets(
  tradepost: Tradepost,
  markets: readonly MarketFollower[],
): Promise<string[]> {
  const broken: string[] = []
  for (const { listings } of markets) {
    await until(
      'a follower agrees with the route',
      async () => {
        const rows: { readonly id: string }[] = []
        for await (const row of tradepost.market.live({ limit: 100 })) rows.push(row)
        return (
          rows.length === listings.size &&
          rows.every((row) => isDeepStrictEqual(row, listings.get(row.id)))
        )
      },
      { everyMs: 250 },
    ).catch((error: unknown) => broken.push(String(error)))
  }
  return broken
}

const EVENTS_OF = sql(
  'upgrade.events_of',
  `select e.public_id::text id, e.type from outbox.event e join identity.account a on a.id = e.account_id
   where a.external_id = $1`,
)

async function judgeUser(db: Db, { name, seen, failure }: User): Promise<string[]> {
  const events = await db.query<{ id: string; type: string }>(EVENTS_OF, [name])
  const missing = () => events.filter(({ id }) => !seen.has(id))
  await until(`${name} has seen every event`, () => missing().length === 0).catch(() => {})
  const reason = failure()
  return [
    ...(reason === null ? [] : [`the follower of ${name} ended: ${reason}`]),
    ...missing().map(({ id, type }) => `the follower of ${name} has not seen ${type} ${id}`),
  ]
}
