// Deposits put together: what requests need of them, what providers' notices need, and their jobs.
import {
  createCancelDeposit,
  createGatewayDeposits,
  createOnrampDeposits,
  createReceiveNotice,
  type ReceiveNotice,
} from '#deposits'
import { createRateReader } from '#fx'
import type { Job } from '#infra/jobs/jobs'
import type { SecretBox } from '#infra/process/secrets'
import type { CaseSource, Reporter } from '#reconciliation'
import {
  type AddressFor,
  createDepositOperations,
} from '../../edges/http/merchant/deposits/deposits.ts'
import { createCompareStatements } from '../../edges/jobs/compare-statements.ts'
import { createPollDeposits } from '../../edges/jobs/poll-deposits.ts'
import type { Resources } from '../resources.ts'
import { createListChains } from './chains.ts'

/** What requests of every interface need of deposits. */
export function createDepositParts(
  { config, db, clock, adapters }: Resources,
  {
    secrets,
    currentRate,
  }: { readonly secrets: SecretBox; readonly currentRate: () => Promise<bigint> },
) {
  const { gateway, onramp } = adapters
  const { pollMs } = config.timing.deposits
  const deps = { db, clock, secrets, currentRate, pollMs }
  return {
    gateway: createGatewayDeposits({ ...deps, gateway }),
    onramp: createOnrampDeposits({ ...deps, onramp }),
    cancelDeposit: createCancelDeposit({ db, clock, gateway }),
  }
}

export function createDeposits(
  resources: Resources,
  {
    secrets,
    currentRate,
    addressFor,
  }: {
    readonly secrets: SecretBox
    readonly currentRate: () => Promise<bigint>
    readonly addressFor: AddressFor | null
  },
): ReturnType<typeof createDepositOperations> {
  return createDepositOperations({
    db: resources.db,
    ...createDepositParts(resources, { secrets, currentRate }),
    addressFor,
    currentRate,
    listChains: createListChains(resources),
  })
}

export const createNotices = ({ db, clock, adapters }: Resources): ReceiveNotice =>
  createReceiveNotice({ db, clock, gateway: adapters.gateway, onramp: adapters.onramp })

export function createDepositJobs(
  { config, db, clock, log, metrics, adapters }: Resources,
  reporterFor: (source: CaseSource) => Reporter,
): Job[] {
  const { gateway, onramp } = adapters
  const currentRate = createRateReader({ db, clock })
  const shared = { db, clock, log, metrics, gateway, onramp }
  const polls = createPollDeposits({
    ...shared,
    currentRate: async () => (await currentRate()).usdPerEurMicros,
    onCase: reporterFor('follower'),
    pollMs: config.timing.deposits.pollMs,
  })
  return [...polls, ...createCompareStatements({ ...shared, onCase: reporterFor('statement') })]
}
