// Transfers of a partner to its children, read from the ledger: of all of them from the partner's side, of
// one from the child's.
import { dashboardRoutes } from '@tradepost/contract'
import { findChildren } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { refuse } from '#kernel/refusal'
import { type HistoryFilter, history, readJournalRefs } from '#ledger'
import { transferListItemView } from '#wire/dashboard/partner'
import { type DashboardOperations, operation } from '../operation.ts'
import { partnerIdOf } from './as-partner.ts'

export const createTransferList = ({
  db,
  heavyReads,
}: {
  readonly db: Db
  readonly heavyReads: HeavyReads
}): DashboardOperations['listTransfers'] =>
  operation(dashboardRoutes.listTransfers, async ({ caller, query }) => {
    const partnerId = partnerIdOf(caller)
    const { childId = null, cursor = null, limit, from, to } = query
    if (childId !== null && (await findChildren(db, partnerId, [childId])).length === 0) {
      return refuse('USER_NOT_FOUND')
    }
    const ownerId = childId ?? partnerId
    const filter: HistoryFilter = {
      ...{ cursor, limit, status: null, type: childId === null ? 'fund_out' : 'fund_in' },
      from: from === undefined ? null : new Date(from),
      to: to === undefined ? null : new Date(to),
    }
    // A wallet has rows of other types between them.
    const { items, nextCursor } = await heavyReads.run(partnerId, (heavyDb) =>
      history(heavyDb, { ownerId, kind: 'spot' }, filter),
    )
    const journals = items.map(({ id }) => id)
    const refs = childId === null ? await readJournalRefs(db, ownerId, journals) : null
    const receivers = new Map(journals.map((id) => [id, childId ?? refs?.get(id)?.counterpartId]))
    const named = [...new Set(receivers.values())].filter((id) => id != null)
    const children = await findChildren(db, partnerId, named)
    const byId = new Map(children.map((child) => [child.id, child]))
    return {
      items: items.map((entry) =>
        transferListItemView(entry, byId.get(receivers.get(entry.id) ?? '') ?? null),
      ),
      nextCursor,
    }
  })
