import type { CallContext } from '#ports/selling'
import type { Log } from '../shared/feed-counters.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { Confirmations } from './confirmations.ts'

/** Lets these offers out. The caller has committed the intent of each of them. */
export type ConfirmSent = (
  bot: BotSecrets,
  offerIds: readonly string[],
  context: CallContext,
) => Promise<void>

/** A confirmation may come a moment later than its offer. */
export function createConfirmSent({
  confirmations,
  log,
}: {
  readonly confirmations: Confirmations
  readonly log: Log
}): ConfirmSent {
  return async (bot, offerIds, context) => {
    const list = await confirmations.list(bot, context)
    for (const offerId of offerIds) {
      const confirmation = list?.find((one) => one.offerId === offerId)
      const isOut = confirmation && (await confirmations.confirm(bot, confirmation, context))
      if (isOut) continue
      const facts = { requestId: context.requestId, bot: bot.platformId, offerId }
      log.warn(facts, 'an offer could not be confirmed; it is tried again at the next look')
    }
  }
}
