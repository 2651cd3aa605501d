// Market B's check of a trade link, for a service whose own accounts cannot ask the platform. It says
// whether the link can be used and whose it is, and neither name nor picture.
import type { GamePlatform, TradeUrlAnswer } from '#ports/identity'
import { fieldsOf, flagOf, own, textOf } from '../shared/reader.ts'
import type { Calls } from './calls.ts'
import { isBanText, isLinkText } from './purchase-answer.ts'

/** A caller waits ten seconds in all: for a turn among other calls of the account, and for the answer. */
const PATIENCE_MS = 5_000
const DEADLINE_MS = 8_000
const RETRY_AFTER_MS = 2_000

export function createTradeLinks({
  calls,
  communityHost,
}: {
  readonly calls: Calls
  readonly communityHost: string
}): GamePlatform {
  return {
    async resolveTradeUrl({ canonical, platformId }, { requestId }) {
      const outcome = await calls({
        path: '/v1/check-tradelink',
        body: { tradelink: canonical },
        budget: 'account',
        isLink: true,
        patienceMs: PATIENCE_MS,
        deadlineMs: DEADLINE_MS,
        context: { requestId },
      })
      if (outcome.kind === 'not-sent') return unavailable(outcome.detail, outcome.retryAfterMs)
      if (outcome.kind === 'lost') return unavailable(outcome.detail)
      const profileUrl = `https://${communityHost}/profiles/${platformId}`
      return readTradeLink(outcome, { platformId, profileUrl })
    },
  }
}

/** A sentence that says nothing of the link is no refusal of it: the market may mean us, or what it sells. */
export function readTradeLink(
  { status, body }: { readonly status: number; readonly body: unknown },
  { platformId, profileUrl }: { readonly platformId: string; readonly profileUrl: string },
): TradeUrlAnswer {
  const fields = fieldsOf(body)
  const isSuccess = fields !== null && status === 200 ? flagOf(own(fields, 'success')) : null
  if (fields === null || isSuccess === null) {
    return unavailable(`a trade link was answered with status ${status}`)
  }
  const trouble = textOf(own(fields, 'info')) ?? (isSuccess ? null : textOf(own(fields, 'msg')))
  if (trouble !== null) {
    const isRefusal = isLinkText(trouble) || isBanText(trouble)
    return isRefusal ? { kind: 'refused', detail: trouble } : unavailable(trouble)
  }
  if (!isSuccess) return unavailable('a trade link was refused without a word')
  // Items would go to another account than the one that was asked about.
  if (textOf(own(fields, 'steamid64')) !== platformId) {
    return unavailable('the market answered for another account')
  }
  return {
    kind: 'resolved',
    persona: { platformId, personaName: platformId, avatarUrl: '', profileUrl },
    holdDays: 0,
    probation: false,
  }
}

const unavailable = (detail: string, retryAfterMs = RETRY_AFTER_MS): TradeUrlAnswer => ({
  ...{ kind: 'unavailable', detail, retryAfterMs },
})
