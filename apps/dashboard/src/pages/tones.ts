// How each state is coloured, beside its word.
import type {
  DashboardDelivery,
  DashboardOrder,
  Deposit,
  MarketOrder,
  Trade,
  Withdrawal,
} from '@tradepost/contract'
import type { Tone } from '../kit/notice.tsx'

type Tones<State extends string> = Readonly<Record<State, Tone>>

/** Of merchants, partners, sub-users and children. */
export const ACCOUNT_TONES = { active: 'good', suspended: 'warn', deleted: 'plain' } as const

export const KEY_TONES = { active: 'good', rotating: 'warn', revoked: 'plain' } as const

export const HEALTH_TONES = { ok: 'good', degraded: 'warn', down: 'bad' } as const

export const DELIVERY_TONES: Tones<DashboardDelivery['status']> = {
  pending: 'plain',
  retrying: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  skipped: 'plain',
  parked: 'bad',
}

export const DEPOSIT_TONES: Tones<Deposit['status']> = {
  initiated: 'plain',
  pending: 'warn',
  completed: 'good',
  partial: 'warn',
  expired: 'plain',
  cancelled: 'plain',
  refunded: 'bad',
  failed: 'bad',
}

export const WITHDRAWAL_TONES: Tones<Withdrawal['status']> = {
  pending_callback: 'warn',
  queued: 'plain',
  broadcast: 'warn',
  confirmed: 'good',
  refunded: 'bad',
}

export const ORDER_TONES: Tones<DashboardOrder['status']['code']> = {
  INITIATED: 'plain',
  PENDING: 'plain',
  ACTIVE: 'warn',
  HOLD: 'warn',
  COMPLETED: 'good',
  FAILED: 'bad',
  REVERTED: 'bad',
}

export const MARKET_ORDER_TONES: Tones<MarketOrder['status']> = {
  open: 'plain',
  paused: 'warn',
  filled: 'good',
  cancelled: 'plain',
  expired: 'plain',
}

export const TRADE_TONES: Tones<Trade['status']> = {
  initiated: 'plain',
  pending: 'plain',
  active: 'warn',
  hold: 'warn',
  completed: 'good',
  failed: 'bad',
  canceled: 'plain',
  declined: 'bad',
  reverted: 'bad',
}
