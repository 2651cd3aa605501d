// GET /market/sell/inventory of an account with 100 items, against the platform's own answer: what reading
// and quoting add to it. A sell of 100 items begins with the same.

import { type Buyer, readBuyers } from '../installation/buyers.ts'
import { inventoryPage } from '../installation/inventory.ts'
import { type Helper, startHelper } from '../ipc.ts'
import { compare, p50Of, p99Of, type Side, scatterOf } from '../rounds.ts'
import type { InventoryMethods } from '../servers/inventory.ts'
import { buyersDatabase } from './buyers-database.ts'
import { describeRounds, loadOf, ms, type RunRow, requestOf, startLoad } from './row.ts'

const ITEMS = 100
const AIM_MS = 50
/** One user who waits for an answer: a latency, not a rate. */
const CONNECTIONS = 1
const WARM_UP = 200

export const runSell: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const requestsEach = isQuick ? 200 : 500
  const url = await installation.clone(await buyersDatabase(bench), 'bench_sell')
  const platform: Helper<InventoryMethods> = startHelper(
    `${import.meta.dirname}/../servers/inventory.ts`,
  )
  const load = startLoad()
  const platformPort = await platform.call('listen', await inventoryPage(url, ITEMS))
  const api = await installation.startApi(url, { SANDBOX_PORT: String(platformPort) })
  try {
    // Each account is asked for once, because what was just read of one is remembered.
    const sellers = await readBuyers(url)
    const take = (index: number): Buyer[] => sellers.splice(0, index < 0 ? WARM_UP : requestsEach)
    const side = (port: number, pid: number, requestFor: (seller: Buyer) => string): Side => ({
      pid,
      run: (index) =>
        loadOf(load, {
          port,
          connections: CONNECTIONS,
          requests: take(index).map(requestFor),
          durationMs: null,
        }),
    })
    const compared = await compare(
      {
        ours: side(api.port, api.pid, ({ externalId }) =>
          requestOf('GET', '/market/sell/inventory', {
            'api-key': installation.apiKey,
            'on-behalf-of': externalId,
          }),
        ),
        peer: side(platformPort, platform.pid, ({ platformId }) =>
          requestOf('GET', `/platform/inventory/${platformId}/730/2?l=english&count=1000`, {}),
        ),
      },
      { rounds, say },
    )
    const { ours, peer } = compared
    const added = p50Of(ours) - p50Of(peer)
    const addedAtWorst = p99Of(ours) - p99Of(peer)
    return [
      {
        path: `\`GET /market/sell/inventory\`, ${ITEMS} items, beside the platform's own answer`,
        ours: describeRounds(ours),
        peer: describeRounds(peer),
        ratio: `adds ${ms(added)}, at p99 ${ms(addedAtWorst)}`,
        aim: `adds < ${AIM_MS} ms at p99`,
        reached: addedAtWorst < AIM_MS,
        scatter: scatterOf(compared),
        note: `each account once, ${CONNECTIONS} connection; ${compared.attempts > 1 ? 'repeated once' : 'the platform answers from memory'}`,
        rounds: { ours, peer },
      },
    ]
  } finally {
    await Promise.all([api.stop(), platform.stop(), load.stop()])
    await installation.drop('bench_sell')
  }
}
