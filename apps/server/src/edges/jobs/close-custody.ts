// Closes accounts of the books in kind, so that their balances cost the same however long the books are.
import { closeAccounts } from '#custody'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'

const EVERY_MS = 600_000

export const createCloseCustody = ({ db }: { readonly db: Db }): Job => ({
  name: 'close-custody',
  everyMs: EVERY_MS,
  singleton: true,
  // An account with more than one closing takes in has another one at once.
  work: async ({ signal }) => (await closeAccounts(db, { signal })) > 0,
})
