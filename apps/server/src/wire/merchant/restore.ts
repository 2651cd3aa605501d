import type { Restore as RestoreView } from '@tradepost/contract'
import type { Restore } from '#buying'

export const restoreView = ({ copyOf, restoredAt, lost }: Restore): RestoreView => ({
  copyOf: copyOf.toISOString(),
  restoredAt: restoredAt.toISOString(),
  lost: lost.map(({ externalId, userExternalId, description, begunAt, price }) => ({
    ...{ externalId, userExternalId, marketHashName: description.marketHashName },
    ...{ at: begunAt.toISOString(), costCents: Number(price) },
  })),
})
