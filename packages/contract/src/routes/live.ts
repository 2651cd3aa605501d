import { defineRoute, type RouteDefinition } from '../route.ts'
import { MarketLiveQuery, UserLiveQuery, WsTokenBody, WsTokenResponse } from '../shapes/live.ts'

/** How one gets to the sockets. */
export const liveRoutes = {
  issueWsToken: defineRoute({
    id: 'issueWsToken',
    method: 'POST',
    path: '/auth/ws-token',
    context: 'user',
    scope: 'live',
    tag: 'Live',
    summary: 'Get a token for the sockets',
    description:
      'Good for 300 seconds and as often as you like within them. It is looked at when a socket is opened and never again.',
    body: WsTokenBody,
    response: WsTokenResponse,
    status: 200,
    cost: 1,
    refusals: [],
  }),
} as const

/** A WebSocket: a GET that is answered with 101. It takes a token and no key. */
export interface SocketRoute
  extends Pick<RouteDefinition, 'id' | 'tag' | 'summary' | 'description'> {
  readonly path: `/${string}`
  readonly query: NonNullable<RouteDefinition['query']>
}

const CLOSE_CODES = `Opening a socket costs 1 of the merchant’s budget. Close codes: 4001 the token is missing or not valid, or the account may have no socket any more; 4002 you sent a frame, and the channel is read-only; 4003 the token does not carry the scope of the channel, there is no such scope, or a filter is not valid; 4008 the account has 5 sockets already, the merchant all that it may have, or the service 10,000; 1013 you read too slowly, or the budget of the rate limits has no token left for another socket; 1001 the process is stopping. After 1001, 1006 and 1013 connect again, a little later each time.`

export const socketRoutes = {
  marketLive: {
    id: 'marketLive',
    path: '/market/live',
    tag: 'Live',
    summary: 'Follow the live market (WebSocket)',
    description: `Each frame is \`{event, data, ts}\`, \`ts\` in Unix milliseconds. First comes \`market.ready\` with \`{scope}\`. \`market.new\` and \`market.update\` carry a MarketListing: put it in the place of what you have under \`data.id\`. \`market.remove\` carries \`{listingId, itemId?}\`: drop it. Prices carry the account’s fees and currency. With scope=all \`referencePrice\` is null, and \`rarity\`, \`collection\`, \`fade\` and \`hardened\` are left out. With scope=filter you get only the listings that fit the filters, as GET /market/listings shows them; one that no longer fits is a \`market.remove\`, which may name a listing that you do not have, and one that now fits a \`market.new\` or \`market.update\`. Without a filter every listing fits. \`market.gap\` with \`{scope}\` says that frames were lost, or all your prices have changed: read the snapshot again. With heartbeat=1 \`market.heartbeat\` with \`{}\` comes after 25 s without another frame; without any frame for twice as long the connection is dead.

${CLOSE_CODES}`,
    query: MarketLiveQuery,
  },
  userLive: {
    id: 'userLive',
    path: '/user/live',
    tag: 'Live',
    summary: 'Follow an account’s own events (WebSocket)',
    description: `Each frame is \`{event, data, ts}\`. First comes \`user.ready\` with \`{scope: "user"}\`, then the events of the account as the webhooks have them: their \`id\`, their type as \`event\`, their \`data\`, and the time of the event as \`ts\`. What happened while no socket was open is not sent again: read /market/transactions after each \`user.ready\`. With heartbeat=1 \`user.heartbeat\` with \`{}\` comes after 25 s without another frame.

${CLOSE_CODES}`,
    query: UserLiveQuery,
  },
} as const satisfies Record<string, SocketRoute>

export const socketRouteList: readonly SocketRoute[] = Object.values(socketRoutes)
