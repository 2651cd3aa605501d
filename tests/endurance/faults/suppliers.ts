// The suppliers of a service under attack: markets and platform with every fault of the soak, and the payment
// gateway, the card on-ramp and a chain's nodes, which are away, slow, lose answers, state false amounts and
// repeat, delay and reorder their notices.
import type { Control } from '../../support/sandbox.ts'
import type { SandboxCall } from '../../support/sandbox-call.ts'
import { type Dice, deckOf } from '../dice.ts'
import { CHAIN } from '../judge/chain.ts'
import { type Fault, startMarketFaults } from './markets.ts'
import { createOutages, OUTAGES_OF_PROVIDERS, type Outage, outagesOfChain } from './outages.ts'

const OF_GATEWAY = [
  ...['lost_reply_placed', 'lost_reply_not_placed', 'http_500', 'http_500+placed', 'html_200'],
  ...['html_200+placed', '429', 'slow:4000', 'reject:400', 'query_http_500', 'query_lost_reply'],
  ...['false_total:9999.00', 'false_total:0', 'false_total:-1', 'false_payment:500.00'],
  ...['other_order', 'conversion_delay:5', 'payment_blocked', 'exchange_failed', 'notice_lost'],
  ...['notice_doubled', 'notice_delayed:8', 'notice_reordered', 'notice_forged'],
  ...['replay_notices', 'lookup_blind:5'],
]
const OF_ONRAMP = [
  ...['query_http_500', 'query_lost_reply', 'false_amount:9999.00', 'other_wallet'],
  ...['sends:1.00', 'sends:99999.00', 'notice_lost', 'notice_doubled', 'notice_delayed:8'],
  ...['notice_reordered', 'notice_forged', 'replay_notices', 'lookup_blind:5'],
]
/** Below the confirmations that the service waits for. */
const DEEPEST_REORG = 4
const PASSES_MS = 6000

const slow = (name: string, path: string, latencyMs: number): Outage => ({
  ...{ name, path, bad: { latencyMs }, good: { latencyMs: 0 } },
})
const OUTAGES: readonly Outage[] = [
  ...OUTAGES_OF_PROVIDERS,
  slow('gateway crawls', '/gateway', 3000),
  slow('onramp crawls', '/onramp', 3000),
  ...outagesOfChain(CHAIN, 4),
  slow('node crawls', `/chains/${CHAIN}`, 1500),
  {
    ...{ name: 'node halts', path: `/chains/${CHAIN}` },
    ...{ bad: { halted: true }, good: { halted: false } },
  },
]
const OF_NODES = ['http_429', 'http_500', 'drop_answer', 'swallow_send']
const OF_CHAIN = ['reorg drop', 'reorg move']

type System = 'gateway' | 'onramp' | 'chain' | 'away'
const ALL: readonly (readonly [System, string])[] = [
  ...OF_GATEWAY.map((word) => ['gateway', word] as const),
  ...OF_ONRAMP.map((word) => ['onramp', word] as const),
  ...OUTAGES.map(({ name }) => ['away', name] as const),
  ...[...OF_NODES, ...OF_CHAIN].map((word) => ['chain', word] as const),
]

export interface Suppliers {
  /** What markets and platform did, for the explanation of cases. */
  readonly shown: readonly Fault[]
  /** How often each fault of gateway, on-ramp and chain was shown. */
  readonly faults: ReadonlyMap<string, number>
  next(): Promise<void>
  /** Everything is well again. */
  end(): Promise<void>
}

export function startSuppliers(
  { control: markets }: { readonly control: Control },
  control: SandboxCall,
  throwDice: Dice,
): Suppliers {
  const ofMarkets = startMarketFaults(markets, throwDice)
  const faults = new Map<string, number>()
  const deck = deckOf(ALL, throwDice)
  const outages = createOutages(control)
  const make = async ([system, word]: readonly [System, string]): Promise<void> => {
    const outage = OUTAGES.find(({ name }) => name === word)
    if (outage) return outages.begin(outage, PASSES_MS)
    if (system !== 'chain') {
      await control('POST', `/${system}/script`, { next: [word] })
    } else if (word.startsWith('reorg ')) {
      const depth = 1 + Math.floor(throwDice() * DEEPEST_REORG)
      await control('POST', `/chains/${CHAIN}/reorg`, { depth, mode: word.slice('reorg '.length) })
    } else await control('POST', `/chains/${CHAIN}/script`, { next: [word] })
  }
  return {
    shown: ofMarkets.shown,
    faults,
    next: async () => {
      const fault = deck.next()
      const name = fault.join(': ')
      // A chain that stands still by another fault cannot be reorganised at this moment.
      const made = make(fault).then(
        () => name,
        (error: unknown) => {
          if (fault[0] !== 'chain') throw error
          return 'not possible'
        },
      )
      const [shown] = await Promise.all([made, ofMarkets.next()])
      faults.set(shown, (faults.get(shown) ?? 0) + 1)
    },
    end: async () => {
      await ofMarkets.end()
      await outages.over()
      for (const system of ['gateway', 'onramp', `chains/${CHAIN}`]) {
        await control('DELETE', `/${system}/script`)
      }
      for (const { path, good } of OUTAGES) await control('PUT', path, good)
    },
  }
}
