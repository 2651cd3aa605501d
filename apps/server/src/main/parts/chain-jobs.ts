// The jobs of each chain that is switched on.
import {
  createPriceReader,
  gasListener,
  listWallets,
  productionRules,
  registerWallet,
  type SweepTarget,
  sandboxRules,
  sweepListener,
} from '#chains'
import type { Job } from '#infra/jobs/jobs'
import { assertDefined } from '#kernel/assert'
import { type Listeners, listServiceWallets, type Signer } from '#outbound'
import type { CaseSource, Reporter } from '#reconciliation'
import { SINKS } from '../../edges/jobs/chain-sinks.ts'
import { createConfirmTransfers } from '../../edges/jobs/confirm-transfers.ts'
import { createFindUnseen } from '../../edges/jobs/find-unseen.ts'
import { createReconcileChains } from '../../edges/jobs/reconcile-chains.ts'
import { createScanChains } from '../../edges/jobs/scan-chains.ts'
import { createSweepDeposits } from '../../edges/jobs/sweep-deposits.ts'
import type { Resources } from '../resources.ts'

/** What `outbound` calls for the transactions of sweeps. */
export const SWEEP_LISTENERS: Listeners = { sweep: sweepListener, gas: gasListener }

export function createChainJobs(
  resources: Resources,
  {
    signer,
    reporterFor,
  }: {
    readonly signer: Signer | null
    readonly reporterFor: (source: CaseSource) => Reporter
  },
): Job[] {
  const { config, db, clock, log, metrics, adapters } = resources
  const { timing, isDemo, treasuryAddress } = config
  const rules = isDemo
    ? sandboxRules(BigInt(config.sandboxConfirmations))
    : productionRules(config.startBlocks)
  const chains = adapters.chains.map(({ node, broadcast }) => ({
    node,
    broadcast,
    rules: assertDefined(
      rules.find(({ chain }) => chain === node.chain),
      `rules of ${node.chain}`,
    ),
  }))
  const unused = metrics.counter('price_answers_unused_total', 'Prices that were not usable', [
    'source',
    'asset',
  ])
  const readPrice = createPriceReader({
    sources: adapters.priceSources,
    clock,
    onUnused: (source, asset, why) => {
      unused.labels(source, asset).inc()
      log.warn({ source, asset, why }, 'price not used')
    },
  })
  const target = createTarget({ treasuryAddress, signer })
  const treasury = treasuryAddress
  const ownSenders = createOwnSenders(resources, signer)
  const shared = { db, clock, log, metrics, chains, readPrice, treasury, sinks: SINKS }
  const { scanMs, confirmMs, sweepMs, reconcileMs } = timing.chains
  return [
    ...createScanChains({ ...shared, ownSenders, everyMs: scanMs }),
    ...createConfirmTransfers({ ...shared, onCase: reporterFor('guard'), everyMs: confirmMs }),
    ...createSweepDeposits({ ...shared, target, everyMs: sweepMs }),
    ...createReconcileChains({
      ...shared,
      onCase: reporterFor('balance'),
      everyMs: reconcileMs,
    }),
    ...createFindUnseen({
      ...{ ...shared, ownSenders },
      onCase: reporterFor('balance'),
      everyMs: reconcileMs,
    }),
  ]
}

/**
 * Our wallets are registered before the first block is scanned, so that every refill of them is booked. A
 * signer that is away later changes nothing.
 */
function createOwnSenders({ db, clock, config }: Resources, signer: Signer | null) {
  let isRegistered = signer === null
  const register = async (): Promise<void> => {
    if (signer === null) return
    for (const [purpose, key] of [
      ['hot_wallet', 'hot'],
      ['gas_station', 'gas'],
    ] as const) {
      await registerWallet(db, { purpose, address: await signer.address(key) }, clock.now())
    }
    isRegistered = true
  }
  return async (): Promise<ReadonlySet<string>> => {
    try {
      if (!isRegistered) await register()
    } catch (error) {
      if ((await listWallets(db)).length === 0) throw error
    }
    const own = (await listServiceWallets(db)).map(({ address }) => address)
    if (config.treasuryAddress !== null) own.push(config.treasuryAddress)
    return new Set(own.map((address) => address.toLowerCase()))
  }
}

/** The treasury; with the sandbox, the hot wallet, which pays withdrawals from what was deposited. */
const createTarget =
  ({
    treasuryAddress,
    signer,
  }: {
    readonly treasuryAddress: SweepTarget['address'] | null
    readonly signer: Signer | null
  }) =>
  async (): Promise<SweepTarget | null> => {
    if (signer === null) return null
    if (treasuryAddress !== null) return { address: treasuryAddress, role: 'treasury' }
    return { address: await signer.address('hot'), role: 'hot_wallet' }
  }
