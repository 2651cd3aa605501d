// What goes wrong between two kills: re-organisations, outages, nodes that lag or answer falsely, and
// processes that are suspended. All of the list in a random order, and again from the start.

import type { Traffic } from '../actors/payers.ts'
import { CHAINS, type ChainName, DEEPEST_REORG, type MoneyStack } from '../worlds/money.ts'
import { postgresOf } from './killer.ts'
import { shuffled } from './markets.ts'
import { suspendFor } from './suspend.ts'

const PASSES_MS = 6000
/** Up to longer than any lease of a job and than the time limit of a statement. */
const LONGEST_SUSPENSION_MS = 20_000
const OUTAGE_MS = 15_000
const BLOCKS_AFTER_OUTAGE = 30
/** A rollback takes away what a re-organisation of this depth does, and leaves a shorter chain. */
const DEEPEST_ROLLBACK = 5

const KINDS = [
  'reorg: gone',
  'reorg: gone',
  'reorg: moved',
  'reorg: spent twice',
  'rollback',
  'outage',
  'no blocks, then many',
  'duplicate logs',
  'logs missing',
  'node lags',
  'wrong chain id',
  'http 429',
  'http 500',
  'answers dropped',
  'sends swallowed',
  'gateway away',
  'card provider away',
  'prices away',
  'worker suspended',
  'worker suspended',
  'api suspended',
  'signer suspended',
  'sandbox suspended',
  'database suspended',
  'everything suspended',
] as const
type Kind = (typeof KINDS)[number]

export interface Troubles {
  readonly counts: ReadonlyMap<string, number>
  next(): Promise<void>
  /** Everything is well again. */
  end(): Promise<void>
}

export function startTroubles(
  stack: MoneyStack,
  traffic: Traffic,
  throwDice: () => number,
): Troubles {
  const { control, nodes, workers, apis, signer, sandbox, postgres } = stack
  const counts = new Map<string, number>()
  const passing = new Set<Promise<void>>()
  let due: Kind[] = []
  const upTo = (most: number): number => 1 + Math.floor(throwDice() * most)
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const during = (ms: number, path: string, bad: object, good: object): Promise<void> => {
    const passes = control('PUT', path, bad)
      .then(() => wait(ms))
      .then(() => control('PUT', path, good))
      .then(() => {})
      .finally(() => passing.delete(passes))
    passing.add(passes)
    return Promise.resolve()
  }
  const script = async (chain: ChainName, word: string, times: number): Promise<void> => {
    await control('POST', `/chains/${chain}/script`, { next: Array(times).fill(word) })
  }
  const reorganise = async (chain: ChainName, mode: string, txHash?: string): Promise<void> => {
    const depth = upTo(DEEPEST_REORG)
    const named = txHash === undefined ? {} : { txHash }
    await control('POST', `/chains/${chain}/reorg`, { depth, mode, ...named })
  }
  const suspend = (pids: readonly number[]): Promise<void> => {
    const passes = suspendFor(pids, upTo(LONGEST_SUSPENSION_MS)).finally(() =>
      passing.delete(passes),
    )
    passing.add(passes)
    return Promise.resolve()
  }
  const one = (pids: readonly number[]): number[] => pids.slice(0, 1)
  const make: Readonly<Record<Kind, (chain: ChainName) => Promise<void>>> = {
    'reorg: gone': (chain) => reorganise(chain, 'drop'),
    'reorg: moved': (chain) => reorganise(chain, 'move'),
    // Only a payer spends twice: of our own wallets that would be a foreign nonce, which halts them.
    'reorg: spent twice': async (chain) =>
      reorganise(chain, 'double_spend', traffic.payments.get(chain)?.at(-1) ?? '0x'),
    rollback: async (chain) => {
      await control('POST', `/chains/${chain}/rollback`, { blocks: upTo(DEEPEST_ROLLBACK) })
    },
    outage: (chain) => during(OUTAGE_MS, `/chains/${chain}`, { online: false }, { online: true }),
    'no blocks, then many': async (chain) => {
      await during(PASSES_MS, `/chains/${chain}`, { halted: true }, { halted: false })
      await control('POST', `/chains/${chain}/mine`, { blocks: BLOCKS_AFTER_OUTAGE })
      // A node that is killed now would lose more blocks than count as final.
      await nodes.untilSaved(chain)
    },
    'duplicate logs': (chain) =>
      during(PASSES_MS, `/chains/${chain}`, { duplicateLogs: true }, { duplicateLogs: false }),
    'logs missing': (chain) =>
      during(PASSES_MS, `/chains/${chain}`, { noLogs: true }, { noLogs: false }),
    'node lags': (chain) =>
      during(PASSES_MS, `/chains/${chain}`, { staleBlocks: upTo(8) }, { staleBlocks: 0 }),
    'wrong chain id': (chain) =>
      during(PASSES_MS, `/chains/${chain}`, { wrongChainId: true }, { wrongChainId: false }),
    'http 429': (chain) => script(chain, 'http_429', upTo(6)),
    'http 500': (chain) => script(chain, 'http_500', upTo(6)),
    'answers dropped': (chain) => script(chain, 'drop_answer', upTo(3)),
    'sends swallowed': (chain) => script(chain, 'swallow_send', upTo(3)),
    'gateway away': () => during(PASSES_MS, '/gateway', { online: false }, { online: true }),
    'card provider away': () => during(PASSES_MS, '/onramp', { online: false }, { online: true }),
    'prices away': () => during(PASSES_MS, '/exchange', { online: false }, { online: true }),
    'worker suspended': () => suspend(one(workers.pids())),
    'api suspended': () => suspend(one(apis.pids())),
    'signer suspended': () => suspend(signer.pids()),
    'sandbox suspended': () => suspend([sandbox.child.pid]),
    'database suspended': () => suspend(postgresOf(postgres.dataFolder)),
    'everything suspended': () =>
      suspend([
        ...[...workers.pids(), ...apis.pids(), ...signer.pids(), sandbox.child.pid],
        ...postgresOf(postgres.dataFolder),
      ]),
  }
  return {
    counts,
    next: async () => {
      if (due.length === 0) due = shuffled(KINDS, throwDice)
      const kind = due.pop() as Kind
      const chain = CHAINS[Math.floor(throwDice() * CHAINS.length)] as ChainName
      try {
        await make[kind](chain)
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
      } catch {
        // The node was killed in this moment, or the transaction is deeper than the re-organisation.
        counts.set('not possible', (counts.get('not possible') ?? 0) + 1)
      }
    },
    end: async () => {
      await Promise.allSettled(passing)
      for (const chain of CHAINS) {
        await control('DELETE', `/chains/${chain}/script`)
        await control('PUT', `/chains/${chain}`, HEALED)
      }
      for (const path of ['/gateway', '/onramp', '/exchange']) {
        await control('PUT', path, { online: true })
      }
    },
  }
}

const HEALED = {
  ...{ online: true, halted: false, duplicateLogs: false, noLogs: false },
  ...{ staleBlocks: 0, wrongChainId: false },
}
