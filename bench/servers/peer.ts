// The peers of the HTTP rows: a Fastify server with nothing around it. One route calls the SQL function
// of a buy with values that were prepared before; every other path is answered with prepared bytes.
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { priceOf, sourcingIn } from '../../apps/server/src/modules/money/pricing/index.ts'
import {
  PLACE_BUY,
  placeBuyValues,
} from '../../apps/server/src/modules/trading/buying/store/buys.ts'
import { createCatalog } from '../../apps/server/src/modules/trading/catalog/index.ts'
import { answerWith } from '../ipc.ts'

export interface PreparedAnswer {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface PeerBuy {
  readonly listingId: string
  readonly accountId: string
  readonly merchantId: string
  readonly tradeUrl: string
  readonly platformId: string
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

let db: Db | null = null
const values = new Map<string, unknown[]>()
const answers = new Map<string, { headers: Record<string, string>; body: Buffer }>()
const app = fastify({ logger: false })

interface BuyBody {
  items: { listingId: string; maxPrice: string }[]
}
interface Receipt {
  trade_id: string
  item_count: number
  total: bigint
  created_at: Date
}

const RESPONSE = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    success: { type: 'boolean' },
    data: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        status: { type: 'string' },
        itemCount: { type: 'integer' },
        totalPrice: { type: 'number' },
        createdAt: { type: 'string' },
      },
    },
  },
}

app.post<{ Body: BuyBody }>(
  '/market/buy',
  { schema: { response: { 200: RESPONSE } } },
  async (request) => {
    const listingId = request.body.items[0]?.listingId ?? ''
    const [row] = (await db?.query<Receipt>(PLACE_BUY, values.get(listingId) ?? [])) ?? []
    if (!row) throw new Error('no receipt')
    return {
      requestId: newId(),
      success: true,
      data: {
        id: row.trade_id,
        status: 'initiated',
        itemCount: row.item_count,
        totalPrice: Number(row.total) / 100,
        createdAt: row.created_at.toISOString(),
      },
    }
  },
)

app.get('*', (request, reply) => {
  const answer = answers.get(request.raw.url ?? '')
  if (!answer) return reply.code(404).send('')
  return reply.headers(answer.headers).send(answer.body)
})

const methods = {
  listen: async (options: { databaseUrl: string; poolSize: number } | null): Promise<number> => {
    if (options) db = openDb({ url: options.databaseUrl, poolSize: options.poolSize })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
  prepareAnswers: (prepared: readonly PreparedAnswer[]): void => {
    for (const { path, headers, body } of prepared) {
      answers.set(path, { headers: { ...headers }, body: Buffer.from(body) })
    }
  },
  /** The statement's values, so that nothing but the statement is left to do when the request comes. */
  prepareBuys: async (buys: readonly PeerBuy[]): Promise<void> => {
    if (!db) throw new Error('a peer without a database')
    const catalog = createCatalog({ db, clock: systemClock })
    const listings = await catalog.getListings(buys.map(({ listingId }) => BigInt(listingId)))
    for (const [i, buy] of buys.entries()) {
      const listing = listings[i]
      if (!listing) throw new Error(`listing ${buy.listingId} is not there`)
      const { houseFeeBps, merchantFeeBps } = buy
      const sourcing = sourcingIn('USD', listing.priceMills, null)
      const { houseFee, merchantFee } = priceOf({ sourcing, houseFeeBps, merchantFeeBps })
      values.set(
        buy.listingId,
        placeBuyValues(
          {
            tenantId: buy.merchantId,
            accountId: buy.accountId,
            platformId: buy.platformId,
            tradeUrl: buy.tradeUrl,
            externalId: `peer-${buy.listingId}`,
            requestHash: createHash('sha256').update(buy.listingId).digest(),
            game: listing.game,
            currency: 'USD',
            usdPerEurMicros: null,
            requestId: newId(),
            at: new Date(),
            items: [
              {
                externalId: null,
                listingId: listing.id,
                market: listing.market,
                rawListingId: listing.rawId,
                catalogItemId: listing.itemId,
                description: listing.description,
                sourcingMills: listing.priceMills,
                price: cents(sourcing + houseFee + merchantFee),
                houseFee,
                merchantFee,
              },
            ],
          },
          null,
        ),
      )
    }
  },
}
export type PeerMethods = typeof methods

answerWith(methods)
