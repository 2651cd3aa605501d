// A chain of tests with a scanner on it: a real node, a real database, and time by hand.

import { mnemonicToAccount } from 'viem/accounts'
import { createEvmChain } from '../../apps/server/src/adapters/evm/index.ts'
import { createAddressDeriver } from '../../apps/server/src/adapters/hd-addresses/index.ts'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { type ManualClock, manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import type { Address } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { abandonReplaced } from '../../apps/server/src/modules/crypto/chains/abandon.ts'
import { createAddressFor } from '../../apps/server/src/modules/crypto/chains/address.ts'
import type { PricedAsset } from '../../apps/server/src/modules/crypto/chains/chain.ts'
import {
  type ConfirmDeps,
  type Confirmed,
  confirmTransfers,
} from '../../apps/server/src/modules/crypto/chains/confirm.ts'
import type { ChainRules } from '../../apps/server/src/modules/crypto/chains/policy.ts'
import type { ChainNode } from '../../apps/server/src/modules/crypto/chains/ports.ts'
import {
  createPriceReader,
  type ReadPrice,
} from '../../apps/server/src/modules/crypto/chains/price.ts'
import type { Purpose } from '../../apps/server/src/modules/crypto/chains/read-transfers.ts'
import {
  type ScanDeps,
  type Scanned,
  scanChain,
} from '../../apps/server/src/modules/crypto/chains/scan.ts'
import type { Transfer } from '../../apps/server/src/modules/crypto/chains/store/transfers.ts'
import type { TransferHandlers } from '../../apps/server/src/modules/crypto/chains/transfer-handler.ts'
import type { BroadcastNode } from '../../apps/server/src/modules/crypto/outbound/index.ts'
import { type NetworkId, startChain, type TestChain } from '../support/chains/index.ts'

export const WORDS = 'test test test test test test test test test test test junk'
// Not account 0: its first addresses are the nodes' own accounts, which pay us.
export const ACCOUNT_PATH = "m/44'/60'/7'"
const XPUB = mnemonicToAccount(WORDS, { path: ACCOUNT_PATH }).getHdKey().publicExtendedKey
export const deriver = createAddressDeriver(XPUB)

export const TREASURY: Address = '0x7ea5000000000000000000000000000000000001'

export interface Watch {
  readonly chain: TestChain
  readonly node: ChainNode
  readonly broadcast: BroadcastNode
  readonly clock: ManualClock
  readonly rules: ChainRules
  /** US dollars in 1e-8, of two sources; an empty list is no price. */
  readonly prices: Map<PricedAsset, bigint[]>
  /** Lower case: never a deposit. */
  readonly ownSenders: Set<string>
  readonly incidents: string[]
  newAddress(purpose?: Purpose): Promise<{ ownerId: string; address: Address }>
  /** Until nothing changes any more; the results, the last one last. */
  scan(): Promise<Scanned[]>
  confirm(): Promise<Confirmed>
  abandon(): Promise<readonly Transfer[]>
  readonly scanDeps: ScanDeps
  readonly readPrice: ReadPrice
}

export interface WatchOptions {
  readonly db: Db
  readonly handlers: TransferHandlers
  readonly chain?: NetworkId
  readonly rules?: Partial<ChainRules>
  readonly deadlineMs?: number
  /** The node itself when it is left out. */
  readonly secondRpcUrls?: readonly string[]
  /** One that runs already. */
  readonly node?: TestChain
  readonly clock?: ManualClock
}

export async function openWatch(options: WatchOptions): Promise<Watch> {
  const { db, handlers, chain: id = 'ethereum' } = options
  const chain = options.node ?? (await startChain(id))
  const clock = options.clock ?? manualClock()
  const { node, broadcast } = createEvmChain({
    ...{ chain: id, rpcUrls: [chain.url], clock },
    secondRpcUrls: options.secondRpcUrls ?? [chain.url],
    http: createHttpClient({ log: silentLog, metrics: createMetrics() }),
    log: silentLog,
    finality: { kind: 'depth', blocks: 3n },
    deadlineMs: options.deadlineMs ?? 10_000,
  })
  const rules: ChainRules = {
    chain: id,
    finality: { mode: 'depth', blocks: 3n },
    largeFinality: { mode: 'depth', blocks: 3n },
    minimum: cents(100n),
    startBlock: null,
    ...options.rules,
  }
  const prices = new Map<PricedAsset, bigint[]>([
    ['USDT', [100_000_000n]],
    ['USDC', [100_000_000n]],
    ['ETH', [350_000_000_000n, 350_000_000_000n]],
    ['BNB', [90_000_000_000n, 90_000_000_000n]],
  ])
  const readPrice = createPriceReader({
    clock,
    sources: [0, 1].map((i) => ({
      id: `source ${i}`,
      read: async (asset) => {
        const usdE8 = prices.get(asset)?.[i]
        return usdE8 === undefined ? null : { usdE8, at: clock.now() }
      },
    })),
  })
  const ownSenders = new Set<string>()
  const incidents: string[] = []
  const addressFor = createAddressFor({ deriver, clock })
  const scanDeps: ScanDeps = {
    ...{ db, clock, node, broadcast, rules, handlers },
    ownSenders: async () => ownSenders,
    onIncident: (what) => incidents.push(what),
  }
  const never = new AbortController().signal
  return {
    ...{ chain, node, broadcast, clock, rules, prices, ownSenders, incidents, scanDeps, readPrice },
    newAddress: async (purpose = 'deposit') => {
      const ownerId = newId()
      const address = await db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
      return { ownerId, address }
    },
    scan: () => scanToTheEnd(scanDeps, never),
    confirm: () =>
      confirmTransfers(
        { ...{ db, clock, node, rules, handlers, readPrice, onUnclaimed }, treasury: TREASURY },
        never,
      ),
    abandon: () =>
      abandonReplaced({
        ...{ db, clock, node, handlers, treasury: TREASURY },
        onOverdrawn: async () => void incidents.push('overdrawn'),
      }),
  }
}

/** For owners that are no accounts, or are not deleted. */
export const onUnclaimed: ConfirmDeps['onUnclaimed'] = () =>
  Promise.reject(new Error('no account was deleted'))

/** As the job does: again at once while there is more. */
export async function scanToTheEnd(deps: ScanDeps, signal: AbortSignal): Promise<Scanned[]> {
  const results: Scanned[] = []
  for (;;) {
    const result = await scanChain(deps, signal)
    results.push(result)
    const more =
      result.kind === 'rolled_back' ||
      (result.kind === 'scanned' && result.cursor.number < result.head)
    if (!more) return results
  }
}

/** What the audits of both schemas say; empty when all is well. */
export const auditAll = (db: Db): Promise<{ invariant: string; detail: string }[]> =>
  db.query(
    sql(
      '',
      `select invariant, detail from chains.audit() union all select invariant, detail from chains.audit_transfers()
       union all select invariant, detail from chains.audit_sweeps() union all select invariant, detail from chains.audit_batches()
       union all select invariant, detail from chains.audit_dust()
       union all select invariant, detail from custody.audit()`,
    ),
  )
