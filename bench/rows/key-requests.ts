// What it costs to keep the requests of a key: POST /market/buy of an API process that does, beside one that
// does not.

import { openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { BUYERS, type Buyer, readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks } from '../installation/installation.ts'
import { compare, type Side } from '../rounds.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { requestForBuy } from './buy.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, startLoad } from './row.ts'

const CONNECTIONS = 32
const WARM_UP = 1000

export const runKeyRequests: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const requestsEach = isQuick ? 1000 : 5000
  const url = await installation.clone(await buyersDatabase(bench), 'bench_key_requests')
  const load = startLoad()
  const opened: OurProcess[] = []
  const open = async (settings: Record<string, string>): Promise<OurProcess> => {
    const api = await installation.startApi(url, settings)
    opened.push(api)
    return api
  }
  try {
    const keeping = await open({})
    const plain = await open({ KEY_REQUESTS: 'off' })
    const buyers = await readBuyers(url)
    const listings = await readListings(url, 1_000_000)
    let buys = 0
    const side = ({ port, pid }: OurProcess): Side => ({
      pid,
      run: (index) => {
        const count = index < 0 ? WARM_UP : requestsEach
        const taken = listings.splice(0, count)
        if (taken.length < count) throw new Error('there are not enough listings')
        const requests = taken.map((listing) =>
          requestForBuy({ listing, buyer: buyers[buys++ % BUYERS] as Buyer }, installation.apiKey),
        )
        return loadOf(load, { port, connections: CONNECTIONS, requests, durationMs: null })
      },
    })
    const compared = await compare({ ours: side(keeping), peer: side(plain) }, { rounds, say })
    await auditBooks(url)
    const kept = await countKept(url)
    if (kept === 0) throw new Error('no request was kept')
    const what = `\`POST /market/buy\` with the requests of its key kept, ${CONNECTIONS} connections`
    const note = `the peer keeps none; ${kept} were kept, above a tenant’s pace the others are dropped`
    return [rateLine(what, compared, { ratio: 0.97, p99Times: 1.1 }, note)]
  } finally {
    await Promise.all([...opened.map((api) => api.stop()), load.stop()])
    await installation.drop('bench_key_requests')
  }
}

const COUNT = sql('bench.key_requests', 'select count(*)::int count from identity.key_request')

async function countKept(url: string): Promise<number> {
  const db = openDb({ url, poolSize: 1, applicationName: 'bench key-requests' })
  try {
    const [row] = await db.query<{ count: number }>(COUNT)
    return row?.count ?? 0
  } finally {
    await db.close()
  }
}
