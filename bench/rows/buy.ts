// POST /market/buy, against the bare SQL function behind a bare Fastify route.

import {
  BUYERS,
  type Buyer,
  type ListingToBuy,
  readBuyers,
  readListings,
} from '../installation/buyers.ts'
import { auditBooks } from '../installation/installation.ts'
import { compare, type Side } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, requestOf, startLoad, startPeer } from './row.ts'

const CONNECTIONS = 32
/** As many as one API process has. */
const POOL_SIZE = 16
const WARM_UP = 1000

export const runBuy: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const requestsEach = isQuick ? 1000 : 5000
  const url = await installation.clone(await buyersDatabase(bench), 'bench_buy')
  const [api, peer, load] = [await installation.startApi(url), startPeer(), startLoad()]
  try {
    const peerPort = await peer.call('listen', { databaseUrl: url, poolSize: POOL_SIZE })
    const buyers = await readBuyers(url)
    const listings = await readListings(url, 1_000_000)
    let buys = 0
    const take = (count: number): Buy[] => {
      const taken = listings.splice(0, count)
      if (taken.length < count) throw new Error('there are not enough listings')
      return taken.map((listing) => ({ listing, buyer: buyers[buys++ % BUYERS] as Buyer }))
    }
    const side = (port: number, pid: number, prepare?: (buys: Buy[]) => Promise<void>): Side => ({
      pid,
      run: async (index) => {
        const taken = take(index < 0 ? WARM_UP : requestsEach)
        await prepare?.(taken)
        const requests = taken.map((buy) => requestForBuy(buy, installation.apiKey))
        return loadOf(load, { port, connections: CONNECTIONS, requests, durationMs: null })
      },
    })
    const compared = await compare(
      {
        ours: side(api.port, api.pid),
        peer: side(peerPort, peer.pid, (taken) => peer.call('prepareBuys', taken.map(peerBuy))),
      },
      { rounds, say },
    )
    await auditBooks(url)
    return [
      rateLine(
        `\`POST /market/buy\`, ${CONNECTIONS} connections, ${BUYERS.toLocaleString('en')} sub-users`,
        compared,
        { ratio: 0.7, p99Times: 2 },
        'the books audit is clean after it',
      ),
    ]
  } finally {
    await Promise.all([api.stop(), peer.stop(), load.stop()])
    await installation.drop('bench_buy')
  }
}

interface Buy {
  readonly listing: ListingToBuy
  readonly buyer: Buyer
}

export const requestForBuy = ({ listing, buyer }: Buy, apiKey: string): string =>
  requestOf(
    'POST',
    '/market/buy',
    { 'api-key': apiKey, 'on-behalf-of': buyer.externalId },
    JSON.stringify({
      externalId: `order-${listing.id}`,
      items: [{ listingId: listing.id, maxPrice: listing.maxPrice }],
    }),
  )

const peerBuy = ({ listing, buyer }: Buy) => ({ ...buyer, listingId: listing.id })
