// The jobs of each chain that is switched on.
import {
  createPriceReader,
  gasListener,
  productionRules,
  sandboxRules,
  sweepListener,
} from '#chains'
import type { Job } from '#infra/jobs/jobs'
import { assertDefined } from '#kernel/assert'
import type { Listeners, Signer } from '#outbound'
import type { CaseSource, Reporter } from '#reconciliation'
import { HANDLERS } from '../../edges/jobs/chain-handlers.ts'
import { createConfirmTransfers } from '../../edges/jobs/confirm-transfers.ts'
import { createFindUnseen } from '../../edges/jobs/find-unseen.ts'
import { createOwnSenders, createSweepTarget } from '../../edges/jobs/own-wallets.ts'
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
  const { timing, isDemo, treasuryAddress: treasury } = config
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
  const target = createSweepTarget({ treasury, signer })
  const ownSenders = createOwnSenders({ db, clock, treasury, signer })
  const shared = { db, clock, log, metrics, chains, readPrice, treasury, handlers: HANDLERS }
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
