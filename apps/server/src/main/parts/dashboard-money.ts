// What the dashboard needs for money in and out, from the parts that serve the merchant interface too.
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import type { SecretBox } from '#infra/process/secrets'
import type { DashboardDepositsDeps } from '../../edges/http/dashboard/money/deposits.ts'
import type { DashboardPayoutsDeps } from '../../edges/http/dashboard/money/payouts.ts'
import type { Config } from '../config.ts'
import { type AddressParts, createListChains, createOwnerAddress } from './chains.ts'
import { createDepositParts } from './deposits.ts'
import { createCallback, createNetworks, limitsOf, openSigner } from './payouts.ts'

export type DashboardMoney = Omit<DashboardDepositsDeps, 'db'> &
  Omit<DashboardPayoutsDeps, 'db' | 'clock'> & {
    readonly explorers: Config['explorers']
  }

export const createDashboardMoney = (
  resources: AddressParts,
  needs: {
    readonly secrets: SecretBox
    readonly currentRate: () => Promise<bigint>
    readonly workers: Pick<WorkerBeats, 'areSilent'>
  },
): DashboardMoney => ({
  ...createDepositParts(resources, needs),
  currentRate: needs.currentRate,
  isCardOn: resources.adapters.onramp !== null,
  addressFor: createOwnerAddress(resources, 'deposit'),
  listChains: createListChains(resources),
  custodyAddressFor: createOwnerAddress(resources, 'payout_custody'),
  networks: createNetworks(resources, openSigner(resources.config)),
  callback: createCallback({ ...resources, secrets: needs.secrets }),
  limits: limitsOf(resources.config),
  areWorkersSilent: needs.workers.areSilent,
  explorers: resources.config.explorers,
})
