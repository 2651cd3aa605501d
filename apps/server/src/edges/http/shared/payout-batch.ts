// The body of a batch of withdrawals, for both interfaces that take one.
import type { CreatePayoutBatchBody } from '@tradepost/contract'
import { cents } from '#kernel/money'
import type { BatchLine } from '#payouts'
import { refuseRepeatedExternalIds } from './external-ids.ts'

/** Refuses VALIDATION_FAILED, with its index, for an external id that an earlier line has. */
export function linesOf({ withdrawals }: Pick<CreatePayoutBatchBody, 'withdrawals'>): BatchLine[] {
  refuseRepeatedExternalIds(withdrawals, {
    list: 'withdrawals',
    entry: 'withdrawal',
    indexed: true,
  })
  return withdrawals.map(({ externalId, chain, token, destination, amountCents, forUser }) => ({
    ...{ externalId, chain, token, destination },
    amountCents: cents(BigInt(amountCents)),
    forUser: forUser ?? null,
  }))
}
