// What an operator decides about an account.
import type { Actor } from '#audit'
import { setTier, type Tier } from '#identity'
import { refuse } from '#kernel/refusal'
import { type ActDeps, perform } from './act.ts'

/** How much a merchant may request a minute. Refuses USER_NOT_FOUND. */
export const changeTier = (
  deps: ActDeps,
  actor: Actor,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'account.set_tier', subject: { type: 'account', id: accountId }, facts: { tier } },
    async (tx, at) => {
      if (!(await setTier(tx, accountId, tier, at))) refuse('USER_NOT_FOUND')
    },
  )
