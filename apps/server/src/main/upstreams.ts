import type { MarketId } from '#kernel/market-id'
import type { ChainNodes } from './chain-config.ts'
import type { Secret } from './settings.ts'

/** Addresses and credentials of the outside parties. */
export interface Upstreams {
  readonly markets: Readonly<Record<MarketId, { readonly url: string; readonly key: Secret }>>
  readonly platformUrl: string
  readonly platformApiUrl: string
  readonly bots: BotSource
  readonly mail: MailSource
  readonly catalogUrl: string
  readonly pictureUrl: string
  readonly fxUrl: string
  /** The sandbox’s control of its chains, which pays from their own funds; null for real chains. */
  readonly faucetUrl: string | null
  /** Those that are switched on. */
  readonly chains: readonly ChainNodes[]
  readonly exchangeUrl: string
  /** Null: switched off. */
  readonly gateway: GatewayAccount | null
  readonly onramp: OnrampAccount | null
  readonly chat: ChatClient | null
}

/** The service as a client of a chat platform’s OAuth 2.0. */
export interface ChatClient {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly profileUrl: string
  readonly scope: string
  readonly clientId: string
  readonly secret: Secret
}

/** Our account at the payment gateway. */
export interface GatewayAccount {
  readonly url: string
  readonly key: Secret
  readonly secret: Secret
  readonly feeBps: number
}

/** Our account at the card on-ramp. */
export interface OnrampAccount {
  readonly url: string
  readonly widgetUrl: string
  readonly appId: string
  readonly key: Secret
  readonly secret: Secret
  readonly wallet: string
}

/** Where the secrets of our accounts on the platform come from. */
export type BotSource =
  | { readonly kind: 'secret'; readonly list: Secret | null }
  /** The sandbox makes its own and returns them to clients on this machine. */
  | { readonly kind: 'sandbox'; readonly url: string }

/** Where mail goes. */
export type MailSource =
  | { readonly kind: 'smtp'; readonly url: Secret }
  /** The sandbox's server, whose port it says at this address. */
  | { readonly kind: 'sandbox'; readonly url: string }
  /** None is sent. */
  | { readonly kind: 'off' }
