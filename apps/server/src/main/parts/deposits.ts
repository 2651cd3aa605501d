// Deposits put together: what requests need of them, and what providers' notices need.
import {
  createCancelDeposit,
  createGatewayDeposits,
  createOnrampDeposits,
  createReceiveNotice,
  type ReceiveNotice,
} from '#deposits'
import type { SecretBox } from '#infra/process/secrets'
import {
  type AddressFor,
  createDepositOperations,
} from '../../edges/http/merchant/deposits/deposits.ts'
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
