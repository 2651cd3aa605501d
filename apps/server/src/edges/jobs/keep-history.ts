// Notes once an hour what things cost, and forgets listings that are long gone.
import type { Catalog } from '#catalog'
import type { Job } from '#infra/jobs/jobs'

export const createKeepHistory = ({ catalog }: { readonly catalog: Catalog }): Job => ({
  name: 'keep-history',
  everyMs: 60_000,
  singleton: true,
  work: async () => {
    await catalog.observeDay()
    return catalog.purgeGone()
  },
})
