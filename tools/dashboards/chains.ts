// Chains: what is read of them, and what is paid on them.
import { type Dashboard, graph, lastHour, most, orNone, since } from './model.ts'

export const CHAINS: Dashboard = {
  name: 'chains',
  title: 'Chains',
  about: 'Scanning of blocks, credits of transfers, our wallets and payments.',
  rows: [
    {
      title: 'Scanning',
      panels: [
        graph('Blocks behind', {
          unit: 'count',
          about: 'Blocks of the node that are not scanned yet.',
          shows: { '{{chain}}': most('chain_lag_blocks', 'chain') },
          badAt: 600,
          alerts: ['ChainBehind'],
        }),
        graph('Blocks scanned', {
          unit: 'count',
          about: 'In ten minutes. 0 while the chain makes blocks: the node stands still.',
          shows: {
            '{{chain}}': `${most('chain_scanned_block', 'chain')} - min by (chain) (min_over_time(tradepost_chain_scanned_block[10m]))`,
          },
          alerts: ['ChainStandsStill'],
        }),
        graph('Halted', {
          unit: 'flag',
          about: 'Whether nothing is scanned or credited on a chain until an operator decides.',
          shows: { '{{chain}}': most('chain_halted', 'chain') },
          badAt: 1,
          alerts: ['ChainHalted'],
        }),
        graph('Replaced blocks', {
          unit: 'count',
          about: 'Times in an hour that scanned blocks were replaced by others.',
          shows: { '{{chain}}': orNone('chain', lastHour('chain_rollbacks_total', 'chain')) },
        }),
        graph('Incidents', {
          unit: 'count',
          about:
            'In a day: credited transfers that left the chain or came back, final payments that left it.',
          shows: {
            '{{chain}} {{what}}': orNone(
              'chain',
              `sum by (chain, what) (increase(tradepost_chain_incidents_total[24h]))`,
            ),
          },
          badAt: 1,
          alerts: ['ChainIncident'],
        }),
        graph('Transfers that are not credited', {
          unit: 'count',
          about: 'Final transfers, by what hinders them.',
          shows: { '{{chain}} {{why}}': most('chain_transfers_hindered', 'chain, why') },
          badAt: 1,
          alerts: ['TransfersNotCredited', 'PriceLost'],
        }),
        graph('Age of the comparison', {
          unit: 'seconds',
          about: 'Since the balances on a chain were last compared with the books.',
          shows: { '{{chain}}': since('chain_reconciled_seconds', 'chain') },
          badAt: 14_400,
          alerts: ['ChainNotCompared'],
        }),
        graph('Prices that were not used', {
          unit: 'count',
          about: 'Answers of an hour that were missing, old or too far from the others.',
          shows: {
            '{{source}} {{asset}}': orNone(
              'source',
              lastHour('price_answers_unused_total', 'source, asset'),
            ),
          },
          alerts: ['PriceLost'],
        }),
      ],
    },
    {
      title: 'Payments of ours',
      panels: [
        graph('Transactions', {
          unit: 'count',
          about: 'That are not final or left their chain, by state and by what holds them.',
          shows: {
            '{{chain}} {{state}} {{held}}': orNone(
              'chain',
              most('outbound_transactions', 'chain, state, held'),
            ),
          },
          alerts: [
            'HotWalletLow',
            'WalletFrozen',
            'FeesAtCap',
            'PaymentLeftChain',
            'PaymentDisplaced',
          ],
        }),
        graph('Oldest transaction', {
          unit: 'seconds',
          about: 'By state and by what holds it.',
          shows: {
            '{{chain}} {{state}} {{held}}': orNone(
              'chain',
              most('outbound_oldest_seconds', 'chain, state, held'),
            ),
          },
          badAt: 3600,
          alerts: ['PayoutStuck'],
        }),
        graph('What an operator has to look at', {
          unit: 'count',
          about:
            'Alarms of an hour: the signer does not answer, a payment has two ends, a wallet is halted.',
          shows: { '{{alarm}}': orNone('alarm', lastHour('outbound_alarms_total', 'alarm')) },
          badAt: 1,
          alerts: ['SignerAway', 'PaymentEndContradicted'],
        }),
        graph('Hot wallets', {
          unit: 'count',
          about: 'Whole tokens that a wallet holds.',
          shows: {
            '{{chain}} {{key}} {{token}}': most('outbound_wallet_tokens', 'chain, key, token'),
          },
          alerts: ['HotWalletRunsLow'],
        }),
        graph('Paid in a day', {
          unit: 'count',
          about: 'Whole tokens that a wallet paid, or has to pay, of what was queued in 24 hours.',
          shows: {
            '{{chain}} {{key}} {{token}}': most('outbound_wallet_day_tokens', 'chain, key, token'),
          },
          alerts: ['HotWalletRunsLow'],
        }),
        graph('Halted wallets', {
          unit: 'flag',
          about: 'A wallet whose nonce is not ours pays nothing until an operator decides.',
          shows: {
            '{{chain}} {{key}}': orNone('chain', most('outbound_wallet_halted', 'chain, key')),
          },
          badAt: 1,
          alerts: ['WalletHalted'],
        }),
      ],
    },
  ],
}
