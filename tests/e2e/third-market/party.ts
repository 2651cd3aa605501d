// Market C as the sandbox plays it: one listing each of a few items, delivered at the second look.
import type { Party, PartyContext } from '../../../apps/sandbox/src/party/party.ts'
import type { Listed, ListedOrder } from './market-c/protocol.ts'

const LISTINGS = 5
const BALANCE_MILLS = 100_000_000

export function createMarketC({ keeper, clock }: PartyContext): Party {
  const listings = new Map<string, Listed>(
    keeper.dataset.catalogue
      .filter(
        ({ phase, referencePriceMills: price }) => phase === null && price > 2000 && price < 25_000,
      )
      .slice(0, LISTINGS)
      .map(({ marketHashName, referencePriceMills: priceMills }, at) => [
        `c-${at}`,
        { id: `c-${at}`, marketHashName, priceMills },
      ]),
  )
  const orders = new Map<string, ListedOrder>()
  const isOurs = (authorization: string | undefined): boolean =>
    authorization === 'Bearer sandbox-market-c'
  const balance = (): number =>
    [...orders.values()].reduce((left, { paidMills }) => left - paidMills, BALANCE_MILLS)

  return {
    protocols: [
      {
        prefix: '/market-c',
        routes: (app) => {
          app.addHook('onRequest', async ({ headers }, reply) => {
            if (!isOurs(headers.authorization)) await reply.code(401).send({ error: 'key' })
          })
          app.get('/listings', async () => [...listings.values()])
          app.get('/balance', async () => ({ mills: balance() }))
          app.get<{ Querystring: { id?: string | string[] } }>('/orders', async ({ query }) => {
            const ids = query.id === undefined ? [...orders.keys()] : [query.id].flat()
            const found = ids.flatMap((id) => orders.get(id) ?? [])
            for (const order of found) orders.set(order.customId, { ...order, state: 'delivered' })
            return found
          })
          app.post<{ Body: { customId: string; rawListingId: string; ceilingMills: number } }>(
            '/orders',
            async ({ body }, reply) => {
              const listing = listings.get(body.rawListingId)
              if (orders.has(body.customId)) return reply.code(409).send({ error: 'duplicate' })
              if (!listing || listing.priceMills > body.ceilingMills)
                return reply.code(404).send({ error: 'sold' })
              listings.delete(listing.id)
              const order: ListedOrder = {
                id: String(orders.size + 1),
                customId: body.customId,
                placedAt: new Date(clock.nowMs()).toISOString(),
                paidMills: listing.priceMills,
                state: 'sent',
              }
              orders.set(order.customId, order)
              return order
            },
          )
        },
      },
    ],
  }
}
