// The live market and an account's own events, over sockets that come back by themselves.
export {
  type FollowMarketOptions,
  followMarket,
  type MarketFollower,
  type MarketNews,
} from './market.ts'
export {
  type Access,
  type Disconnect,
  type FollowOptions,
  LiveError,
  type WebSocketClass,
  type WebSocketLike,
} from './options.ts'
export { followUser, type UserEvent, type UserFollower, type UserNews } from './user.ts'
