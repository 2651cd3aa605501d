// A trade on the command line, by any id that leads to it: where its money and items are, then its orders or
// offers, and its timeline.
import { marketName } from '@tradepost/contract'
import { isUuid } from '#kernel/id'
import { formatCents } from '#kernel/money'
import { explainTrade, find, type Hit, inspectTrade, type TradeInspection } from '#operations'
import { type Context, fail } from './context.ts'
import { AS_JSON, argument, command } from './declare.ts'
import { compact, json, table, withFacts } from './table.ts'

export const tradeCommand = command(
  'trade',
  'where the money of a trade is, then its whole timeline',
  argument(
    '<id>',
    "any that leads to it: item, offer, external id, supplier's order, request, event, transaction …",
  ),
  AS_JSON,
).does(trade)

async function trade(
  { db, clock }: Context,
  text: string,
  options: { readonly json?: true },
): Promise<string> {
  const hits = await find(db, { text, tenantId: null })
  const trades = hits.filter(({ kind }) => kind === 'trade')
  if (trades.length > 1) return `${trades.length} trades have it:\n${hitTable(trades)}`
  const id = trades[0]?.id ?? (isUuid(text) ? text : null)
  const found = id === null ? null : await db.snapshot((at) => inspectTrade(at, id))
  if (found === null) {
    return hits.length === 0
      ? fail('nothing has this id')
      : `It leads to no trade, but to:\n${hitTable(hits)}`
  }
  const { trade, requestId, sell, timeline, money } = found
  const explanation = sentencesOf(found, clock.now())
  if (options.json) {
    return json(
      {
        explanation,
        trade,
        money,
        items: sell?.items ?? found.items,
        timeline: timeline.map(withFacts),
      },
      2,
    )
  }
  return [
    ...explanation,
    '',
    `Trade ${trade.id} (${trade.type}) of account ${trade.accountId}, merchant ${trade.tenantId}`,
    `${trade.status}, ${formatCents(trade.total)} ${trade.currency}, external id ${trade.externalId ?? 'none'}, ` +
      `request ${requestId ?? 'unknown'}`,
    '',
    sell === null ? buyTable(found) : sellTable(sell),
    '',
    table(
      timeline.map((line) => ({ ...line, details: compact(line.details) })),
      ['at', 'kind', 'item', 'what', 'details'],
    ),
  ].join('\n')
}

const hitTable = (hits: readonly Hit[]): string =>
  table(
    hits.map((hit) => ({ ...hit })),
    ['kind', 'id', 'title', 'status', 'tenantId'],
  )

/** First what an operator asks first: the money, then each item and what becomes of it. */
function sentencesOf(found: TradeInspection, now: Date): string[] {
  const { money, items, cases } = explainTrade(found, { now, nameOf: marketName })
  return [
    `Money now: ${money}`,
    ...found.trade.items.flatMap(({ id, description }, index) => {
      const item = items.get(id)
      const name = `Item #${index + 1}, ${description.marketHashName}`
      if (item === undefined) return []
      return [`${name}: ${item.where}.`, `  ${item.isOver ? 'Outcome' : 'Next'}: ${item.next}`]
    }),
    ...cases.map(({ id, kind, meaning }) => `Open case ${id}, ${kind}: ${meaning}`),
  ]
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
