// Mails the people of accounts whose balance has fallen below the threshold that they have set.
import type { Job } from '#infra/jobs/jobs'
import { type ActDeps, notifyLowBalances } from '#operations'

const EVERY_MS = 30_000

export function createWatchBalances(deps: ActDeps): Job {
  let after: string | null = null
  return {
    name: 'watch-balances',
    everyMs: EVERY_MS,
    singleton: true,
    work: async () => {
      after = await notifyLowBalances(deps, after)
      return after !== null
    },
  }
}
