// The WebSockets: the request of a token, and the frames.
import { type Static, Type } from 'typebox'
import { DateTime, ItemId, ListingId } from '../primitives.ts'
import { describe, stringEnum } from '../schema.ts'
import { listingFilter } from './market-listings.ts'

export const WS_TOKEN_SCOPES = ['market', 'user'] as const
export type WsTokenScope = (typeof WS_TOKEN_SCOPES)[number]

/** Seconds that a token opens sockets. */
export const WS_TOKEN_SECONDS = 300

const WsTokenScope = stringEnum(WS_TOKEN_SCOPES)

export const WsTokenBody = Type.Object(
  {
    scopes: Type.Optional(
      Type.Array(WsTokenScope, {
        minItems: 1,
        maxItems: WS_TOKEN_SCOPES.length,
        uniqueItems: true,
        description:
          '`market` opens /market/live, `user` opens /user/live. `["market"]` when left out.',
      }),
    ),
  },
  { title: 'WsTokenBody', examples: [{ scopes: ['market'] }], additionalProperties: false },
)
export type WsTokenBody = Static<typeof WsTokenBody>

export const WsTokenResponse = Type.Object(
  {
    token: Type.String({ description: 'For the query of the socket’s address. Keep it secret.' }),
    scopes: Type.Array(WsTokenScope),
    expiresAt: DateTime,
    expiresIn: Type.Integer({ description: 'Seconds, 300. A socket stays open beyond it.' }),
  },
  { title: 'WsTokenResponse' },
)
export type WsTokenResponse = Static<typeof WsTokenResponse>

export const LIVE_SCOPES = ['watchlist', 'all', 'filter'] as const
export type LiveScope = (typeof LIVE_SCOPES)[number]

/** The data of `market.remove`. */
export const RemovedListing = Type.Object(
  { listingId: ListingId, itemId: Type.Optional(ItemId) },
  { title: 'RemovedListing', additionalProperties: false },
)
export type RemovedListing = Static<typeof RemovedListing>

/** Why a socket was closed by the service. */
export const LIVE_CLOSE_CODES = {
  goingAway: 1001,
  slow: 1013,
  token: 4001,
  readOnly: 4002,
  scope: 4003,
  tooMany: 4008,
} as const

/** Sockets that one account may have open at a time, of each of the two channels. */
export const LIVE_SOCKETS_PER_ACCOUNT = 5
/** Of all accounts, of each of the two channels. */
export const LIVE_SOCKETS_IN_ALL = 10_000

/** A socket that asks for heartbeats gets one after so long without another frame. */
export const HEARTBEAT_AFTER_MS = 25_000

/** The query of both sockets' addresses. */
const EVERY_SOCKET = {
  token: Type.String({
    description: 'From POST /auth/ws-token, with the scope of the channel.',
  }),
  heartbeat: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1,
      description:
        '1 asks for a heartbeat after 25 s without another frame, for a client that does not see pings.',
    }),
  ),
}

export const MarketLiveQuery = Type.Object({
  ...EVERY_SOCKET,
  scope: Type.Optional(
    describe(
      stringEnum(LIVE_SCOPES, { default: 'all' }),
      '`all` is every event of every listing; `watchlist` follows what GET /market lists; `filter` only listings that fit the filters below, which are those of GET /market/listings.',
    ),
  ),
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'The `ts` of the last frame that was seen: what came after it is sent again, or `market.gap` reports that it is too long ago.',
    }),
  ),
  ...listingFilter,
})
export const UserLiveQuery = Type.Object(EVERY_SOCKET)
