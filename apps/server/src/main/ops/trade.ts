// A trade on the command line: its items with their orders or offers, and its timeline.
import { inspectTrade, type TradeInspection } from '#operations'
import { type Context, UUID, usage } from './invocation.ts'
import { compact, json, table } from './table.ts'

export async function trade({ db, argument = '', options }: Context): Promise<string> {
  if (!UUID.test(argument)) return usage('trade needs the id of a trade or of one of its items')
  const found = await db.snapshot((at) => inspectTrade(at, argument))
  if (found === null) return usage('there is no such trade')
  const { trade, requestId, sell, timeline } = found
  if (options.json) return json({ trade, items: sell?.items ?? found.items, timeline }, 2)
  return [
    `Trade ${trade.id} (${trade.type}) of account ${trade.accountId}, merchant ${trade.tenantId}`,
    `${trade.status}, ${trade.total} cents ${trade.currency}, external id ${trade.externalId ?? 'none'}, ` +
      `request ${requestId ?? 'unknown'}`,
    '',
    sell === null ? buyTable(found) : sellTable(sell),
    '',
    table(
      timeline.map((line) => ({ ...line, facts: compact(line.facts) })),
      ['at', 'kind', 'item', 'what', 'facts'],
    ),
  ].join('\n')
}

function buyTable({ items }: TradeInspection): string {
  const rows = items.map((item, index) => ({
    item: `#${index + 1}`,
    id: item.id,
    status: item.status,
    since: item.statusAt,
    market: item.market,
    listing: item.rawListingId,
    order: item.orders.at(-1)?.orderId ?? null,
    state: item.orders.at(-1)?.state ?? null,
  }))
  return table(rows, ['item', 'id', 'status', 'since', 'market', 'listing', 'order', 'state'])
}

function sellTable({ items, offers }: NonNullable<TradeInspection['sell']>): string {
  const rows = items.map((item, index) => {
    const offer = offers.find(({ offerIntentId }) => offerIntentId === item.offerIntentId)
    return {
      item: `#${index + 1}`,
      id: item.id,
      status: item.status,
      since: item.statusAt,
      asset: item.assetId,
      bot: offer?.botId ?? null,
      offer: offer?.offerId ?? null,
      state: offer?.state ?? null,
    }
  })
  return table(rows, ['item', 'id', 'status', 'since', 'asset', 'bot', 'offer', 'state'])
}
