// Buys take listings and settled trades are sales; both leave a row in passing. Here the rows become
// stock and history, in every worker process: the first to claim them does the work.
import { type Catalog, STOCK_CHANGED } from '#catalog'
import type { Job } from '#infra/jobs/jobs'

export const createRecountStock = ({ catalog }: { readonly catalog: Catalog }): Job => ({
  name: 'recount-stock',
  // Not woken by a notice: NOTIFY would make buys wait for each other at their commits.
  everyMs: 250,
  due: { question: STOCK_CHANGED },
  work: async () => {
    const moreTaken = await catalog.countTaken()
    const moreSold = await catalog.countSales()
    return moreTaken || moreSold
  },
})
