// What can be the matter with payments, wallets and chains.
import {
  type AlertCase,
  from,
  HOUR,
  justNow,
  MINUTES,
  once,
  rising,
  series,
  steady,
} from './series.ts'

export const BLOCK_REASONS = [
  'no_price',
  'differs',
  'second_node_differs',
  'no_second_node',
  'refused',
]
const ALARMS = { signer_unavailable: 'SignerAway', end_contradicted: 'PaymentEndContradicted' }
export const ethereum = { chain: 'ethereum' }
const sentOrphaned = { ...ethereum, what: 'sent_orphaned' }
export const hotUsdc = { ...ethereum, key: 'hot', token: 'USDC' }
export const outbound = (state: string, held = ''): string =>
  series('outbound_transactions', { ...ethereum, state, held })
export const withdrawals = (status: string, held: string) =>
  series('payout_withdrawals', { status, held })

/** In the order of the rules. */
export const CHAIN_CASES: readonly AlertCase[] = [
  {
    name: 'a withdrawal waits for an operator',
    series: {
      [withdrawals('queued', 'limit_day')]: steady(1),
      // It may wait for as long as the operator lets it.
      [series('payout_oldest_seconds', { status: 'queued', held: 'limit_day' })]: steady(9 * HOUR),
    },
    fires: { WithdrawalWaitsForOperator: [{}] },
  },
  {
    name: 'a withdrawal has been under way for more than an hour',
    series: {
      [series('payout_oldest_seconds', { status: 'queued', held: '' })]: rising(HOUR, 60),
    },
    fires: { PayoutStuck: [{}] },
  },
  ...Object.entries(ALARMS).map(([what, alert]) => ({
    name: `payments ring: ${what}`,
    series: { [series('outbound_alarms_total', { alarm: `outbound_${what}` })]: rising(7, 4) },
    fires: { [alert]: [{}] },
  })),
  ...['hot_wallet_low', 'capital_low', 'gas_low', 'gas_capital_low'].map((held) => ({
    name: `a transaction waits because of ${held}`,
    series: {
      [outbound('queued', held)]: steady(2),
    },
    fires: { HotWalletLow: [ethereum] },
  })),
  {
    name: 'a token refuses every payment of a wallet',
    series: {
      [outbound('queued', 'wallet_frozen')]: steady(20),
    },
    fires: { WalletFrozen: [ethereum] },
  },
  {
    name: 'a hot wallet holds less than it paid in a day',
    series: { [series('outbound_wallet_tokens', hotUsdc)]: from(8, 5000, 1200) },
    at: 30,
    fires: { HotWalletRunsLow: [hotUsdc] },
  },
  {
    name: 'a hot wallet held less for a few minutes, until it was refilled',
    series: { [series('outbound_wallet_tokens', hotUsdc)]: `5000x8 1200x8 90000x${MINUTES}` },
    at: 30,
    fires: {},
  },
  {
    name: 'a transaction would have to offer more than the cap of fees',
    series: { [outbound('broadcast', 'fee_cap')]: steady(1) },
    at: 17,
    fires: { FeesAtCap: [ethereum] },
  },
  {
    name: 'a wallet is halted, and a final payment of it has lost its nonce for good',
    series: {
      [series('outbound_wallet_halted', { ...ethereum, key: 'hot' })]: steady(1),
      [outbound('displaced_final')]: steady(1),
    },
    fires: { WalletHalted: [{ ...ethereum, key: 'hot' }], PaymentDisplaced: [ethereum] },
  },
  {
    name: 'a chain is halted, and so stands still',
    series: {
      [series('chain_halted', ethereum)]: steady(1),
      [series('chain_scanned_block', ethereum)]: steady(20_000_000),
    },
    at: 30,
    fires: { ChainHalted: [ethereum] },
  },
  {
    name: 'a chain is not scanned as fast as it grows',
    series: { [series('chain_lag_blocks', ethereum)]: steady(700) },
    fires: { ChainBehind: [ethereum] },
  },
  {
    name: 'the node of a chain knows no newer block',
    series: { [series('chain_scanned_block', ethereum)]: `20000000+5x5 20000025x${MINUTES}` },
    at: 30,
    fires: { ChainStandsStill: [ethereum] },
  },
  {
    name: 'a re-organisation takes a few blocks back',
    series: { [series('chain_scanned_block', ethereum)]: `20000000+5x28 20000130+5x${MINUTES}` },
    at: 30,
    fires: {},
  },
  {
    name: 'a credited transfer left its chain, right after another process took over',
    series: {
      [series('chain_incident_last_seconds', { ...ethereum, what: 'credited_orphaned' })]: null,
      [series('chain_incident_last_seconds', { ...ethereum, what: 'credited_orphaned' }, 'w2')]:
        `_x9 600x${MINUTES}`,
    },
    fires: { ChainIncident: [{ ...ethereum, what: 'credited_orphaned' }] },
  },
  {
    name: 'a payment of ours that was final left its chain',
    series: {
      [series('chain_incident_last_seconds', sentOrphaned)]: justNow,
      [outbound('left_chain')]: steady(1),
    },
    fires: { ChainIncident: [sentOrphaned], PaymentLeftChain: [ethereum] },
  },
  ...BLOCK_REASONS.filter((why) => why !== 'no_price').map((why) => ({
    name: `a final transfer is not credited: ${why}`,
    series: { [series('chain_transfers_hindered', { ...ethereum, why })]: steady(1) },
    fires: { TransfersNotCredited: [{ ...ethereum, why }] },
  })),
  {
    name: 'a chain was not compared with the books for more than four hours',
    series: { [series('chain_reconciled_seconds', ethereum)]: once(4 * HOUR) },
    fires: { ChainNotCompared: [ethereum] },
  },
  {
    name: 'there is no price for a final transfer',
    series: {
      [series('chain_transfers_hindered', { ...ethereum, why: 'no_price' })]: steady(2),
    },
    fires: { PriceLost: [ethereum] },
  },
]
