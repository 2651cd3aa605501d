// Statements of pages of which nothing is kept: all of them are read each time.
import type { KeepPages, ListedOrder } from '#ports/reconciliation'

export const wholePages: KeepPages = (pages) => ({
  id: pages.id,
  account: pages.account,
  traits: pages.traits,
  read: async (from, context) => {
    const found = new Map<string, ListedOrder>()
    let isWhole = true
    // A history that grows with each page is read no further than a statement is.
    for (let skip = 0, read = 0; read < 200; read++) {
      const page = await pages.page(skip, context)
      if (page.kind === 'unavailable') return page
      const rows = page.rows.filter((row) => row !== null)
      if (rows.length < page.rows.length) isWhole = false
      for (const row of rows) if (row.placedAt >= from) found.set(row.orderId, row)
      if (rows.length === 0 || rows.some(({ placedAt }) => placedAt < from)) break
      skip += page.rows.length
    }
    const answer = await pages.lookUp([...found.keys()], context)
    if (answer.kind === 'unavailable') return answer
    const lines = answer.lines.flatMap((line) => {
      const row = found.get(line.orderId)
      return row === undefined ? [] : [{ ...line, placedAt: row.placedAt }]
    })
    return { kind: 'read', lines, isWhole: isWhole && lines.length === found.size }
  },
})
