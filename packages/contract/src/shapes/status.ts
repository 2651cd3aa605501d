// The status of the service, for everyone who depends on it.
import { type Static, Type } from 'typebox'
import { DateTime } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { CryptoEvmChain } from './deposit.ts'

export const COMPONENT_STATUSES = ['operational', 'degraded', 'down', 'disabled'] as const
export const ComponentStatus = stringEnum(COMPONENT_STATUSES, { title: 'ComponentStatus' })
export type ComponentStatus = Static<typeof ComponentStatus>

export const TRADING_STATUSES = ['operational', 'paused'] as const
export const TradingStatus = stringEnum(TRADING_STATUSES, { title: 'TradingStatus' })
export type TradingStatus = Static<typeof TradingStatus>

/** The most that `expectedPlacementSeconds` says. */
export const MAX_PLACEMENT_SECONDS = 900

const since = describe(DateTime, 'Since when it has this status.')

export const TradingState = Type.Object(
  {
    status: TradingStatus,
    reason: nullable(
      Type.String({ description: 'Why trading is paused; null while it is operational.' }),
    ),
    since,
  },
  { title: 'TradingState' },
)

export const MarketState = Type.Object(
  {
    market: Type.String({ examples: ['market_a'], description: 'The name of the market.' }),
    status: ComponentStatus,
    since,
    listings: Type.Integer({ minimum: 0, description: 'Live listings that are known of it.' }),
    readAt: describe(
      nullable(DateTime),
      'When its listings were last read as a whole; null before the first time.',
    ),
    expectedPlacementSeconds: nullable(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PLACEMENT_SECONDS,
        description:
          'For how long an item that is bought now is expected to wait until its order is placed, measured; null while the market is not operational.',
      }),
    ),
  },
  { title: 'MarketState' },
)
export type MarketState = Static<typeof MarketState>

export const PlatformState = Type.Object(
  { status: ComponentStatus, since },
  { title: 'PlatformState' },
)

export const DepositState = Type.Object(
  {
    method: stringEnum(['gateway', 'onramp', 'crypto'], {
      description: 'How money comes in. There is one row of `crypto` for each chain.',
    }),
    chain: describe(nullable(CryptoEvmChain), 'Null for gateway and on-ramp.'),
    status: ComponentStatus,
    since,
  },
  { title: 'DepositState' },
)

export const PayoutState = Type.Object(
  { chain: CryptoEvmChain, status: ComponentStatus, since },
  { title: 'PayoutState' },
)

export const ServiceStatus = Type.Object(
  {
    trading: TradingState,
    markets: Type.Array(MarketState, { description: 'Each market, by name.' }),
    platform: PlatformState,
    deposits: Type.Array(DepositState, { description: 'Each way in which money comes in.' }),
    payouts: Type.Array(PayoutState, { description: 'Withdrawals, by chain.' }),
    webhookAddresses: Type.Array(Type.String(), {
      description:
        'Addresses and CIDR blocks that webhooks come from; empty when the operator has named none.',
      examples: [['203.0.113.10', '2001:db8::/48']],
    }),
  },
  { title: 'ServiceStatus' },
)
export type ServiceStatus = Static<typeof ServiceStatus>
