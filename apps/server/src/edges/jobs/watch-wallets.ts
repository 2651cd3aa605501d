// What the wallets that pay hold on their chains, beside what they paid in a day: an alert compares the two,
// so that an operator refills a wallet before a payment waits for it.
import { type ChainId, listTokens } from '#chains'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import {
  type BroadcastNode,
  listServiceWallets,
  type Outflow,
  readOutflows,
  type Wallet,
} from '#outbound'

const EVERY_MS = 60_000
const LABELS = ['chain', 'key', 'token']

export interface WatchWalletsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Those of the chains that are on. */
  readonly nodes: readonly BroadcastNode[]
}

export function createWatchWallets({ db, clock, log, metrics, nodes }: WatchWalletsDeps): Job {
  const holds = metrics.gauge(
    'outbound_wallet_tokens',
    'Whole tokens that a wallet of ours holds on its chain',
    LABELS,
  )
  const paid = metrics.gauge(
    'outbound_wallet_day_tokens',
    'Whole tokens that a wallet of ours paid, or has to pay, of what was queued in the last 24 hours, with fees',
    LABELS,
  )
  return {
    name: 'watch-wallets',
    everyMs: EVERY_MS,
    singleton: true,
    figures: [holds, paid],
    work: async ({ signal }) => {
      const wallets = await listServiceWallets(db)
      const outflows = await readOutflows(db, clock.now())
      holds.reset()
      paid.reset()
      for (const node of nodes) {
        if (signal.aborted) break
        const own = wallets.filter(({ chain }) => chain === node.chain)
        // Of a chain whose node is away nothing is known: other alerts say so.
        const figures = await readFigures(db, node, { wallets: own, outflows }).catch((error) => {
          log.warn({ chain: node.chain, error: String(error) }, 'balances of wallets not read')
          return []
        })
        for (const { labels, held, day } of figures) {
          holds.labels(...labels).set(held)
          paid.labels(...labels).set(day)
        }
      }
      return false
    },
  }
}

interface Figure {
  readonly labels: readonly [chain: string, key: string, token: string]
  /** Whole tokens; as exact as a graph has to be. */
  readonly held: number
  readonly day: number
}

async function readFigures(
  db: Db,
  node: BroadcastNode,
  {
    wallets,
    outflows,
  }: { readonly wallets: readonly Wallet[]; readonly outflows: readonly Outflow[] },
): Promise<Figure[]> {
  const { chain } = node
  const accepted = (await listTokens(db, chain as ChainId)).filter(({ isAccepted }) => isAccepted)
  const figures: Figure[] = []
  for (const { keyRef, address } of wallets) {
    // The gas station pays in native coin alone.
    const tokens = accepted.filter(({ symbol }) => keyRef === 'hot' || symbol === 'NATIVE')
    for (const { symbol, contract, decimals } of tokens) {
      const whole = (units: bigint): number => Number(units) / 10 ** decimals
      const units = await node.balanceOf(address, symbol === 'NATIVE' ? null : contract)
      const outflow = outflows.find(
        (one) => one.chain === chain && one.keyRef === keyRef && one.token === symbol,
      )
      const labels = [chain, keyRef, symbol] as const
      figures.push({ labels, held: whole(units), day: whole(outflow?.units ?? 0n) })
    }
  }
  return figures
}
