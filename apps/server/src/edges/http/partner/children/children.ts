// What only a partner's own key does: its children, transfers to them, totals over them.
import { partnerRoutes } from '@tradepost/contract'
import {
  countSpends,
  createChild,
  getChild,
  type KeyEnvironment,
  keepAccount,
  readFirstKeys,
} from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { cents } from '#kernel/money'
import { fund } from '#ledger'
import { findPersonId } from '#people'
import { readOrderFigures } from '#trades'
import { childView, statsView } from '#wire/partner/children'
import { operation, type PartnerOperations } from '../operation.ts'

export interface ChildrenDeps {
  readonly db: Db
  readonly clock: Clock
  readonly heavyReads: HeavyReads
  readonly keyEnvironment: KeyEnvironment
}

export const createChildrenOperations = ({
  db,
  clock,
  heavyReads,
  keyEnvironment,
}: ChildrenDeps): Pick<
  PartnerOperations,
  'createChild' | 'transferToChild' | 'getPartnerStats'
> => ({
  createChild: operation(partnerRoutes.createChild, async ({ caller, body }) => {
    const { email, name = null, description = null } = body
    const { child, apiKey } = await db.transaction((tx) =>
      createChild(tx, {
        partnerId: caller.tenant.id,
        ...{ email, name, description },
        environment: keyEnvironment,
        at: clock.now(),
      }),
    )
    const message = apiKey === null ? 'The child exists.' : 'The child was created.'
    const linkedUserId = await findPersonId(db, email)
    return childView(child, { apiKey, email, linkedUserId, message })
  }),

  transferToChild: operation(partnerRoutes.transferToChild, async ({ caller, body }) => {
    const { tenant } = caller
    const { toEmail, toApiKeyId, amountCents, idempotencyKey } = body
    const child = await getChild(
      db,
      tenant.id,
      toEmail === undefined
        ? { keyId: assertDefined(toApiKeyId, 'one of the two names') }
        : { email: toEmail },
    )
    const amount = cents(BigInt(amountCents))
    const { replayed } = await db.transaction(async (tx) => {
      await keepAccount(tx, child.id)
      const at = clock.now()
      const moved = await fund(tx, {
        direction: 'fund',
        merchant: tenant,
        subUser: { id: child.id, currency: 'USD' },
        amount,
        subUserAmount: amount,
        idempotencyKey,
        at,
      })
      const spend = { keyId: caller.keyId, refId: moved.transactionId, cents: amount }
      if (!moved.replayed) await countSpends(tx, [spend], at)
      return moved
    })
    // A partner whose people use the dashboard alone may have none.
    const partnerApiKeyId = (await readFirstKeys(db, [tenant.id])).get(tenant.id)
    return {
      ...(partnerApiKeyId !== undefined && { partnerApiKeyId }),
      userApiKeyId: child.firstKeyId,
      amountCents,
      message: replayed ? 'The transfer was made before.' : 'The transfer was made.',
    }
  }),

  getPartnerStats: operation(partnerRoutes.getPartnerStats, async ({ caller }) => {
    const { id } = caller.tenant
    const figures = await heavyReads.run(id, (_, staleReads) =>
      staleReads((at) => readOrderFigures(at, id)),
    )
    return statsView(figures)
  }),
})
