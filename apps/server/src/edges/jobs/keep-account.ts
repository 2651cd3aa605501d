// Reads one of our accounts at a market.
import type { AccountRef } from '#buying'
import type { AccountReading } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import { jobOf } from './job-of.ts'
import type { SupplierAccount } from './supplier-account.ts'

export interface KeepAccountDeps {
  readonly of: AccountRef
  /** Asks the market when what is known is old. */
  read(): Promise<AccountReading | null>
  readonly account: SupplierAccount
}

const EVERY_MS = 1500

export const createKeepAccount = ({ of, read, account }: KeepAccountDeps): Job => ({
  name: jobOf('keep-account', { id: of.market, account: of.account }),
  everyMs: EVERY_MS,
  singleton: true,
  figures: account.figures,
  work: async () => {
    await account.note(await read())
    return false
  },
})
