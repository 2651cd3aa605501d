// Checks of a drill that are the same at every market.
import { asExpected, type Check, differs } from '#kernel/check'
import { newId } from '#kernel/id'
import type { Market } from '#ports/buying'
import type { SourceListing } from '#ports/catalog'

/** An order that cannot be there must be stated to be absent: what is only left out is not known. */
export const unknownOrder = (market: Market): Check => ({
  name: 'look-up of an unknown id',
  async run(context) {
    const customId = newId()
    const query = { customId, orderId: null, offerSeen: false, acceptanceSeen: false }
    const answer = await market.lookUp([query], context)
    if (answer.kind === 'unavailable') return differs(answer.detail)
    const order = answer.orders.get(customId)
    return order === 'absent'
      ? asExpected('it is stated to be absent')
      : differs(order === undefined ? 'its absence is not stated' : 'an order is answered')
  },
})

const HEAD_ROWS = 2_000
const MOST_UNREADABLE_SHARE = 0.1

export interface Head {
  readonly listings: readonly SourceListing[]
  readonly unreadable: number
  /** More of its rows cannot be read than a market may have. */
  readonly isOdd: boolean
}

/** The first rows of a list; null stands for one that cannot be read. */
export async function readHead(rows: AsyncIterable<SourceListing | null>): Promise<Head> {
  const listings: SourceListing[] = []
  let unreadable = 0
  for await (const listing of rows) {
    if (listing === null) unreadable += 1
    else listings.push(listing)
    if (listings.length + unreadable >= HEAD_ROWS) break
  }
  const isOdd = unreadable > (listings.length + unreadable) * MOST_UNREADABLE_SHARE
  return { listings, unreadable, isOdd }
}
