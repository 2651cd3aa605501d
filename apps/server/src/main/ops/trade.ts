// One trade as everybody who had to do with it saw it, in the order of time: the request, the books, the
// suppliers, the events, the webhooks, the cases.

import { type Dossier, readDossier } from '#buying'
import type { Db, Snapshot } from '#infra/db'
import { listPostingsAbout } from '#ledger'
import { listNews } from '#outbox'
import { listCalls, listCasesOfItems, listEntries } from '#reconciliation'
import { findSellOf, readSellDossier, type SellDossier } from '#selling'
import { listSteps, newsKeysOf, readTrades, type Trade } from '#trades'
import { listAttemptsOfEvents } from '#webhooks'
import { compact, json, table } from './table.ts'
import { type Invocation, usage } from './usage.ts'

interface Line {
  readonly at: Date
  readonly who:
    | 'caller'
    | 'books'
    | 'market'
    | 'news'
    | 'webhook'
    | 'case'
    | 'order'
    | 'step'
    | 'offer'
  readonly what: string
  readonly item: string | null
  readonly facts: object
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function trade(context: Invocation & { readonly db: Db }): Promise<string> {
  const { db, argument = '', options } = context
  if (!UUID.test(argument)) return usage('trade needs the id of a trade or of one of its items')
  const seen = await db.snapshot((at) => look(at, argument))
  if (seen === null) return usage('there is no such trade')
  const { found, dossier, sell, lines } = seen
  if (options.json) {
    return json({ trade: found, items: sell?.items ?? dossier.items, timeline: lines }, 2)
  }
  const items = dossier.items.map((item, at) => ({
    item: `#${at + 1}`,
    id: item.id,
    status: item.status,
    since: item.statusAt,
    market: item.market,
    listing: item.rawListingId,
    order: item.orders.at(-1)?.orderId ?? null,
    state: item.orders.at(-1)?.state ?? null,
  }))
  return [
    `Trade ${found.id} (${found.type}) of account ${found.accountId}, merchant ${found.tenantId}`,
    `${found.status}, ${found.total} cents ${found.currency}, external id ${found.externalId ?? 'none'}, ` +
      `request ${dossier.requestId ?? 'unknown'}`,
    '',
    sell === null
      ? table(items, ['item', 'id', 'status', 'since', 'market', 'listing', 'order', 'state'])
      : sellTable(sell),
    '',
    table(
      lines.map((line) => ({ ...line, facts: compact(line.facts) })),
      ['at', 'who', 'item', 'what', 'facts'],
    ),
  ].join('\n')
}

async function look(at: Snapshot, id: string) {
  const dossier = await readDossier(at, (await findSellOf(at, id)) ?? id)
  if (dossier === null) return null
  const [found] = await readTrades(at, [dossier.tradeId])
  if (!found) return null
  const sell = found.type === 'sell' ? await readSellDossier(at, found.id) : null
  return { found, dossier, sell, lines: await timelineOf(at, found, { dossier, sell }) }
}

function sellTable({ items, offers }: SellDossier): string {
  const rows = items.map((item, at) => {
    const offer = offers.find(({ offerIntentId }) => offerIntentId === item.offerIntentId)
    return {
      item: `#${at + 1}`,
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

interface About {
  readonly dossier: Dossier
  /** Of a sell what selling keeps of it. */
  readonly sell: SellDossier | null
}

async function timelineOf(at: Snapshot, found: Trade, { dossier, sell }: About): Promise<Line[]> {
  const itemIds = (sell ?? dossier).items.map(({ id }) => id)
  const numberOf = new Map(itemIds.map((id, at) => [id, `#${at + 1}`]))
  const orders = dossier.items.flatMap((item) => item.orders.map((order) => ({ item, order })))
  const itemOfOrder = new Map(orders.map(({ item, order }) => [order.customId, item.id]))
  const steps = await listSteps(at, found.id)
  const postings = await listPostingsAbout(at, [found.id, ...itemIds])
  const calls = await listCalls(at, [...itemOfOrder.keys()])
  const cases = await listCasesOfItems(at, itemIds)
  const news = await listNews(at, newsKeysOf(found.id, itemIds))
  const eventIds = news.map(({ id }) => id)
  const attempts = await listAttemptsOfEvents(at, found.tenantId, eventIds)
  const entries = []
  for (const each of cases) entries.push({ each, log: await listEntries(at, each.id) })
  const numbered = (itemId: string | null | undefined): string | null =>
    itemId ? (numberOf.get(itemId) ?? null) : null

  const lines: Line[] = [
    {
      at: found.createdAt,
      who: 'caller',
      what: found.type,
      item: null,
      facts: { requestId: dossier.requestId, platformId: found.platformId, items: itemIds.length },
    },
    ...orders.map(
      ({ item, order: { sentAt, customId, state, orderId, detail } }): Line => ({
        at: sentAt,
        who: 'order',
        what: 'intent',
        item: numbered(item.id),
        facts: { customId, state, orderId, detail },
      }),
    ),
    ...(sell?.offers ?? []).map(
      ({
        offerIntentId,
        botId,
        sentAt,
        state,
        offerId,
        exchangeId,
        ending,
        holdEndsAt,
        detail,
      }): Line => ({
        at: sentAt,
        who: 'offer',
        what: 'intent',
        item: null,
        facts: { offerIntentId, botId, state, offerId, exchangeId, ending, holdEndsAt, detail },
      }),
    ),
    ...steps.map(
      ({ itemId, what, status, at, offerId, failure }): Line => ({
        at,
        who: 'step',
        what: what === 'moved' ? status : what,
        item: numbered(itemId),
        facts: { offerId, failure },
      }),
    ),
    ...postings.map(
      ({ createdAt, kind, refId, amount, currency, debit, credit }): Line => ({
        at: createdAt,
        who: 'books',
        what: kind,
        item: numbered(refId),
        facts: { amount: `${amount} cents ${currency}`, from: debit, to: credit },
      }),
    ),
    ...calls.map(
      ({
        market,
        customId,
        operation,
        startedAt,
        durationMs,
        outcome,
        answer,
        requestId,
      }): Line => ({
        at: startedAt,
        who: 'market',
        what: `${operation}: ${outcome}`,
        item: numbered(itemOfOrder.get(customId)),
        facts: { market, ms: durationMs, ...answer, requestId },
      }),
    ),
    ...news.map(
      ({ createdAt, type, publicId, payload }): Line => ({
        at: createdAt,
        who: 'news',
        what: type,
        item: numbered(payload.itemId as string | undefined),
        facts: { event: publicId },
      }),
    ),
    ...attempts.map(
      ({ startedAt, eventType, number, responseStatus, error, durationMs, deliveryId }): Line => ({
        at: startedAt,
        who: 'webhook',
        what: eventType,
        item: null,
        facts: { attempt: number, answered: responseStatus, error, ms: durationMs, deliveryId },
      }),
    ),
    ...entries.flatMap(({ each, log }) =>
      log.map(
        ({ at, what, byWhom, facts }): Line => ({
          at,
          who: 'case',
          what: `${each.kind} ${what}`,
          item: numbered(each.itemId),
          facts: { case: each.id, by: byWhom, ...facts },
        }),
      ),
    ),
  ]
  return lines.sort((a, b) => a.at.getTime() - b.at.getTime())
}
