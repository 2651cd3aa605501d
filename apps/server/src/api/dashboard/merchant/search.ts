// What an id belongs to: trades, sub-users, events and deliveries of the account, found by index.
import { dashboardRoutes } from '@tradepost/contract'
import { getSubUser } from '#identity'
import type { Db } from '#infra/db'
import { isUuid } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { findEvent } from '#outbox'
import { listTrades, type TradeFilter } from '#trades'
import { findDeliveryRecord } from '#webhooks'
import { eventHit, tradeHit } from '#wire/dashboard/merchant'
import { type DashboardOperations, operation } from '../operation.ts'

const MAX_OF_KIND = 5

export const createSearchOperation = ({
  db,
}: {
  readonly db: Db
}): DashboardOperations['searchIds'] =>
  operation(dashboardRoutes.searchIds, async ({ query, caller }) => {
    const tenantId = caller.account.id
    const text = query.q.trim()
    const ids = { id: text, tenantId }
    const [byId, byExternalId, byOffer] = await db.snapshot(async (at) => {
      const find = async (filter: TradeFilter) =>
        (await listTrades(at, { tenantId, ...filter }, { cursor: null, limit: MAX_OF_KIND })).items
      return [
        isUuid(text) ? await find({ tradeId: text }) : [],
        await find({ externalId: text }),
        /^\d+$/.test(text) ? await find({ offerId: text }) : [],
      ]
    })
    const subUser = await orNothing(getSubUser(db, tenantId, text))
    const event = isUuid(text) ? await findEvent(db, ids) : null
    const delivery = isUuid(text) ? await findDeliveryRecord(db, ids) : null
    const trades = new Map([...byId, ...byExternalId, ...byOffer].map((trade) => [trade.id, trade]))
    return {
      hits: [
        ...[...trades.values()].map(tradeHit),
        ...(subUser
          ? [
              {
                kind: 'sub_user' as const,
                id: subUser.id,
                label: subUser.externalId ?? subUser.email ?? '',
              },
            ]
          : []),
        ...(event ? [eventHit(event)] : []),
        ...(delivery
          ? [{ kind: 'delivery' as const, id: delivery.id, label: delivery.eventType }]
          : []),
      ],
    }
  })

/** What is not found is no hit. */
async function orNothing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Refusal && error.key === 'USER_NOT_FOUND') return null
    throw error
  }
}
