import type { Trade } from '@tradepost/contract'

/** How a state is coloured, beside its word. */
export const TRADE_TONES: Readonly<Record<Trade['status'], 'good' | 'warn' | 'bad' | 'plain'>> = {
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
