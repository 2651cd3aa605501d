// The dashboard's view of what an id leads to.
import type { FoundHit } from '@tradepost/contract'
import type { Hit } from '#operations'

export const hitView = ({ kind, id, tenantId, title, status, subjectId }: Hit): FoundHit => ({
  ...{ kind, id, title, status, subjectId },
  accountId: tenantId,
})
