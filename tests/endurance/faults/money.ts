// What goes wrong between two kills: re-organisations, outages, nodes that lag or answer falsely, and
// processes that are suspended. All of the list in a random order, and again from the start.
import type { Payers } from '../actors/payers.ts'
import { type Dice, deckOf, pickWith } from '../dice.ts'
import { CHAINS, type ChainName, DEEPEST_REORG, type MoneyStack } from '../worlds/money.ts'
import { postgresOf } from './killer.ts'
import { createOutages, OUTAGES_OF_PROVIDERS, outagesOfChain } from './outages.ts'
import { suspendFor } from './suspend.ts'

const PASSES_MS = 6000
/** Up to longer than any lease of a job and than the time limit of a statement. */
const LONGEST_SUSPENSION_MS = 20_000
const LONG_OUTAGE_MS = 15_000
const MOST_STALE_BLOCKS = 8
const BLOCKS_AFTER_OUTAGE = 30
/** A rollback takes away what a re-organisation of this depth does, and leaves a shorter chain. */
const DEEPEST_ROLLBACK = 5

const KINDS = [
  'reorg: gone',
  'reorg: gone',
  'reorg: moved',
  'reorg: spent twice',
  'rollback',
  'no blocks, then many',
  'http_429',
  'http_500',
  'drop_answer',
  'swallow_send',
  'worker suspended',
  'worker suspended',
  'api suspended',
  'signer suspended',
  'sandbox suspended',
  'database suspended',
  'everything suspended',
] as const
type Kind = (typeof KINDS)[number]
/** Outages by their names, besides. */
const NAMES: readonly string[] = [
  ...KINDS,
  ...[...OUTAGES_OF_PROVIDERS, ...outagesOfChain('', 0)].map(({ name }) => name),
]
/** A node that answers nothing is away for longer than what else goes wrong with it. */
const LONG_OUTAGE = 'node away'

export interface MoneyFaults {
  readonly counts: ReadonlyMap<string, number>
  next(): Promise<void>
  /** Everything is well again. */
  end(): Promise<void>
}

export function startMoneyFaults(
  stack: MoneyStack,
  payers: Pick<Payers, 'payments'>,
  throwDice: Dice,
): MoneyFaults {
  const { control, nodes, workers, apis, signer, sandbox, postgres } = stack
  const counts = new Map<string, number>()
  const outages = createOutages(control)
  const deck = deckOf(NAMES, throwDice)
  const pick = pickWith(throwDice)
  const upTo = (most: number): number => 1 + Math.floor(throwDice() * most)
  const script = async (chain: ChainName, word: string, times: number): Promise<void> => {
    await control('POST', `/chains/${chain}/script`, { next: Array(times).fill(word) })
  }
  const reorganise = async (chain: ChainName, mode: string, txHash?: string): Promise<void> => {
    const depth = upTo(DEEPEST_REORG)
    const named = txHash === undefined ? {} : { txHash }
    await control('POST', `/chains/${chain}/reorg`, { depth, mode, ...named })
  }
  const suspend = async (pids: readonly number[]): Promise<void> => {
    outages.add(suspendFor(pids, upTo(LONGEST_SUSPENSION_MS)))
  }
  const one = (pids: readonly number[]): number[] => pids.slice(0, 1)
  const make: Readonly<Record<Kind, (chain: ChainName) => Promise<void>>> = {
    'reorg: gone': (chain) => reorganise(chain, 'drop'),
    'reorg: moved': (chain) => reorganise(chain, 'move'),
    // Only a payer spends twice: of our own wallets that would be a foreign nonce, which halts them.
    'reorg: spent twice': (chain) =>
      reorganise(chain, 'double_spend', payers.payments.get(chain)?.at(-1) ?? '0x'),
    rollback: async (chain) => {
      await control('POST', `/chains/${chain}/rollback`, { blocks: upTo(DEEPEST_ROLLBACK) })
    },
    'no blocks, then many': async (chain) => {
      const path = `/chains/${chain}`
      outages.begin({ path, bad: { halted: true }, good: { halted: false } }, PASSES_MS)
      await control('POST', `${path}/mine`, { blocks: BLOCKS_AFTER_OUTAGE })
      // A node that is killed now would lose more blocks than count as final.
      await nodes.untilSaved(chain)
    },
    http_429: (chain) => script(chain, 'http_429', upTo(6)),
    http_500: (chain) => script(chain, 'http_500', upTo(6)),
    drop_answer: (chain) => script(chain, 'drop_answer', upTo(3)),
    swallow_send: (chain) => script(chain, 'swallow_send', upTo(3)),
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
  const isKind = (name: string): name is Kind => name in make
  const show = async (name: string, chain: ChainName): Promise<void> => {
    if (isKind(name)) return make[name](chain)
    const known = [...OUTAGES_OF_PROVIDERS, ...outagesOfChain(chain, upTo(MOST_STALE_BLOCKS))]
    for (const outage of known.filter((each) => each.name === name)) {
      outages.begin(outage, name === LONG_OUTAGE ? LONG_OUTAGE_MS : PASSES_MS)
    }
  }
  return {
    counts,
    next: async () => {
      const name = deck.next()
      const shown = await show(name, pick(CHAINS)).then(
        () => name,
        // The node was killed in this moment, or the transaction is deeper than the re-organisation.
        () => 'not possible',
      )
      counts.set(shown, (counts.get(shown) ?? 0) + 1)
    },
    end: async () => {
      await outages.over()
      for (const chain of CHAINS) {
        await control('DELETE', `/chains/${chain}/script`)
        await control('PUT', `/chains/${chain}`, { halted: false })
        for (const { path, good } of outagesOfChain(chain, 0)) await control('PUT', path, good)
      }
      for (const { path, good } of OUTAGES_OF_PROVIDERS) await control('PUT', path, good)
    },
  }
}
