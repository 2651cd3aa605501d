// The suppliers of a service under attack: markets and platform with every fault of the soak, and the payment
// gateway, the card on-ramp and a chain's nodes, which are away, slow, lose answers, state false amounts and
// repeat, delay and reorder their notices.

import type { Sandbox } from '../../support/sandbox.ts'
import type { SandboxCall } from '../../support/sandbox-call.ts'
import { sleep } from '../actors/hostile/tally.ts'
import { CHAIN } from '../judge/chain.ts'
import { shuffled, startTroubles, type Trouble } from './markets.ts'

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

/** For a while, and then well again. */
const OUTAGES: readonly (readonly [word: string, path: string, bad: object, good: object])[] = [
  ['gateway away', '/gateway', { online: false }, { online: true }],
  ['gateway crawls', '/gateway', { latencyMs: 3000 }, { latencyMs: 0 }],
  ['onramp away', '/onramp', { online: false }, { online: true }],
  ['onramp crawls', '/onramp', { latencyMs: 3000 }, { latencyMs: 0 }],
  ['prices away', '/exchange', { online: false }, { online: true }],
  ['node away', `/chains/${CHAIN}`, { online: false }, { online: true }],
  ['node crawls', `/chains/${CHAIN}`, { latencyMs: 1500 }, { latencyMs: 0 }],
  ['node halts', `/chains/${CHAIN}`, { halted: true }, { halted: false }],
  ['duplicate logs', `/chains/${CHAIN}`, { duplicateLogs: true }, { duplicateLogs: false }],
  ['logs missing', `/chains/${CHAIN}`, { noLogs: true }, { noLogs: false }],
  ['node lags', `/chains/${CHAIN}`, { staleBlocks: 4 }, { staleBlocks: 0 }],
  ['wrong chain id', `/chains/${CHAIN}`, { wrongChainId: true }, { wrongChainId: false }],
]
const OF_NODES = ['http_429', 'http_500', 'drop_answer', 'swallow_send']
const OF_CHAIN = ['reorg drop', 'reorg move']

type Party = 'gateway' | 'onramp' | 'chain' | 'away'
const ALL: readonly (readonly [Party, string])[] = [
  ...OF_GATEWAY.map((word) => ['gateway', word] as const),
  ...OF_ONRAMP.map((word) => ['onramp', word] as const),
  ...OUTAGES.map(([word]) => ['away', word] as const),
  ...[...OF_NODES, ...OF_CHAIN].map((word) => ['chain', word] as const),
]

export interface Suppliers {
  /** What markets and platform did, for the explanation of cases. */
  readonly said: readonly Trouble[]
  /** How often each fault of gateway, on-ramp and chain was shown. */
  readonly faults: ReadonlyMap<string, number>
  next(): Promise<void>
  /** Everything is well again. */
  end(): Promise<void>
}

export function startSuppliers(
  sandbox: Pick<Sandbox, 'control'>,
  control: SandboxCall,
  throwDice: () => number,
): Suppliers {
  const troubles = startTroubles(sandbox, throwDice)
  const faults = new Map<string, number>()
  const passing = new Set<Promise<unknown>>()
  let due: (readonly [Party, string])[] = []
  const passes = (path: string, bad: object, good: object): void => {
    const outage = control('PUT', path, bad)
      .then(() => sleep(PASSES_MS))
      .then(() => control('PUT', path, good))
      .catch(() => {})
      .finally(() => passing.delete(outage))
    passing.add(outage)
  }
  const make = async ([party, word]: readonly [Party, string]): Promise<void> => {
    const outage = OUTAGES.find(([name]) => name === word)
    if (outage) return passes(outage[1], outage[2], outage[3])
    if (party !== 'chain') {
      await control('POST', `/${party}/script`, { next: [word] })
    } else if (word.startsWith('reorg ')) {
      const depth = 1 + Math.floor(throwDice() * DEEPEST_REORG)
      await control('POST', `/chains/${CHAIN}/reorg`, { depth, mode: word.slice('reorg '.length) })
    } else await control('POST', `/chains/${CHAIN}/script`, { next: [word] })
  }
  return {
    said: troubles.said,
    faults,
    next: async () => {
      if (due.length === 0) due = shuffled(ALL, throwDice)
      const fault = due.pop() as (typeof ALL)[number]
      const name = fault.join(': ')
      // A chain that stands still by another fault cannot be reorganised at this moment.
      const made = make(fault).then(
        () => name,
        (error: unknown) => {
          if (fault[0] !== 'chain') throw error
          return 'not possible'
        },
      )
      const [shown] = await Promise.all([made, troubles.next()])
      faults.set(shown, (faults.get(shown) ?? 0) + 1)
    },
    end: async () => {
      await troubles.end()
      await Promise.allSettled(passing)
      for (const party of ['gateway', 'onramp', `chains/${CHAIN}`]) {
        await control('DELETE', `/${party}/script`)
      }
      for (const [, path, , good] of OUTAGES) await control('PUT', path, good)
    },
  }
}
