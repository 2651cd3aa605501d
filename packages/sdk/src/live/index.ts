// The live market and an account's own events, over WebSockets that reconnect.
export {
  type FollowMarketOptions,
  followMarket,
  type ListingFilters,
  type LiveScope,
  type MarketFollower,
  type MarketUpdate,
} from './market.ts'
export {
  type Access,
  type Disconnect,
  type FollowOptions,
  LiveError,
  type WebSocketClass,
  type WebSocketLike,
} from './options.ts'
export { followUser, type UserEvent, type UserFollower, type UserUpdate } from './user.ts'
