// When a transfer counts as final: by its chain and its value. Everything here is pure.
// Depths after Circle's and exchanges' published confirmations; tags after the finality of each network. A
// roll-up's block is `safe` once its batch is on ethereum.
import { unreachable } from '#kernel/assert'
import { type Cents, cents } from '#kernel/money'
import type { ChainId } from './chain.ts'

export type Finality =
  /** So many blocks, its own included. */
  | { readonly mode: 'depth'; readonly blocks: bigint }
  /** At or below the block of the tag; where a node knows no such tag, so many blocks. */
  | { readonly mode: 'safe' | 'finalized'; readonly orBlocks: bigint }

export interface ChainRules {
  readonly chain: ChainId
  readonly finality: Finality
  /** From LARGE_CENTS on, and where the value is not known. */
  readonly largeFinality: Finality
  /** What is worth less waits for more of the same. */
  readonly minimum: Cents
  /** Where scanning begins on an empty database; null: at the head. */
  readonly startBlock: bigint | null
}

export const LARGE_CENTS = cents(100_000n)
/** From here on a second node must show the same transfer, its amount included. */
export const SECOND_NODE_CENTS = cents(500_000n)

const depth = (blocks: bigint): Finality => ({ mode: 'depth', blocks })
const tag = (mode: 'safe' | 'finalized', orBlocks: bigint): Finality => ({ mode, orBlocks })

const ONE_DOLLAR = cents(100n)
const FIVE_DOLLARS = cents(500n)

const rules = (
  chain: ChainId,
  finality: Finality,
  largeFinality: Finality,
  minimum: Cents = ONE_DOLLAR,
): ChainRules => ({ chain, finality, largeFinality, minimum, startBlock: null })

export const PRODUCTION_RULES: readonly ChainRules[] = [
  rules('ethereum', depth(12n), tag('finalized', 96n), FIVE_DOLLARS),
  rules('base', tag('safe', 180n), tag('finalized', 1800n)),
  rules('arbitrum', depth(300n), tag('finalized', 7200n)),
  rules('optimism', tag('safe', 180n), tag('finalized', 1800n)),
  rules('bsc', depth(15n), tag('finalized', 30n)),
]

/** Scanning of a chain begins where it is said, else at its head. */
export const productionRules = (
  startBlocks: Readonly<Partial<Record<ChainId, bigint>>>,
): readonly ChainRules[] =>
  PRODUCTION_RULES.map((rules) => ({ ...rules, startBlock: startBlocks[rules.chain] ?? null }))

/** One block a second and few confirmations, so that a person can watch a deposit. */
export const sandboxRules = (confirmations: bigint): readonly ChainRules[] =>
  PRODUCTION_RULES.map((chain) => ({
    ...chain,
    finality: depth(confirmations),
    largeFinality: depth(confirmations),
    startBlock: 0n,
  }))

/** Which finality a value needs; null stands for a value that is not known. */
export const finalityFor = (
  { finality, largeFinality }: ChainRules,
  value: Cents | null,
): Finality => (value === null || value >= LARGE_CENTS ? largeFinality : finality)

/** How many blocks stand on a transfer, its own included; 0 for one above the head. */
export const confirmationsAt = (head: bigint, block: bigint): bigint =>
  head < block ? 0n : head - block + 1n

export interface Heights {
  /** The newest scanned block. */
  readonly head: bigint
  /** Null: the node knows no such tag. */
  readonly safe: bigint | null
  readonly finalized: bigint | null
}

export function isFinal(finality: Finality, block: bigint, heights: Heights): boolean {
  const confirmations = confirmationsAt(heights.head, block)
  switch (finality.mode) {
    case 'depth':
      return confirmations >= finality.blocks
    case 'safe':
    case 'finalized': {
      const tagged = heights[finality.mode]
      // A tag above what was scanned says nothing of blocks that were not compared with it.
      return tagged === null
        ? confirmations >= finality.orBlocks
        : confirmations > 0n && tagged >= block
    }
    default:
      return unreachable(finality)
  }
}
