// Where the session's merchant approves its withdrawals: its URL, the secret that signs, and a test.
import { dashboardRoutes, type ResendResult } from '@tradepost/contract'
import type { Static } from 'typebox'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  clearPayoutCallback,
  notePayoutCallbackTest,
  rotatePayoutCallbackSecret,
  setPayoutCallback,
} from '#operations'
import { type ApprovalCallback, type CallbackAnswer, findMerchantSettings } from '#payouts'
import { type EndpointDeps, findEndpoint, type HostRules } from '#webhooks'
import { callbackView } from '#wire/dashboard/money'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'

/** As long as an approval has. */
const DEADLINE_MS = 5_000

export interface PayoutCallbackDeps extends ActDeps, HostRules, Pick<EndpointDeps, 'secrets'> {
  readonly callback: ApprovalCallback
}

export function createPayoutCallbackOperations(
  deps: PayoutCallbackDeps,
): Pick<
  DashboardOperations,
  | 'getPayoutCallback'
  | 'setPayoutCallback'
  | 'clearPayoutCallback'
  | 'rotatePayoutCallbackSecret'
  | 'testPayoutCallback'
> {
  const { db, clock, callback } = deps
  const shown = async (merchantId: string, secret: string | null = null) => {
    const settings = await findMerchantSettings(db, merchantId)
    const endpoint = await findEndpoint(db, merchantId)
    return callbackView(settings, { hasEndpoint: endpoint !== null, secret })
  }
  return {
    getPayoutCallback: operation(dashboardRoutes.getPayoutCallback, ({ caller }) =>
      shown(merchantOf(caller)),
    ),

    setPayoutCallback: operation(dashboardRoutes.setPayoutCallback, async ({ caller, body }) => {
      const merchantId = merchantOf(caller)
      const secret = await setPayoutCallback(deps, caller.actor, { merchantId, url: body.url })
      return shown(merchantId, secret)
    }),

    clearPayoutCallback: operation(dashboardRoutes.clearPayoutCallback, async ({ caller }) => {
      const merchantId = merchantOf(caller)
      await clearPayoutCallback(deps, caller.actor, merchantId)
      return shown(merchantId)
    }),

    rotatePayoutCallbackSecret: operation(
      dashboardRoutes.rotatePayoutCallbackSecret,
      async ({ caller, body: { overlapHours } }) => {
        const order = { merchantId: merchantOf(caller), overlapHours }
        return { secret: await rotatePayoutCallbackSecret(deps, caller.actor, order) }
      },
    ),

    testPayoutCallback: operation(dashboardRoutes.testPayoutCallback, async ({ caller }) => {
      const merchantId = merchantOf(caller)
      const settings = await findMerchantSettings(db, merchantId)
      if (!(await callback.isUsable(merchantId, settings))) {
        return refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
      }
      await notePayoutCallbackTest(deps, caller.actor, merchantId)
      const options = { settings, at: clock.now(), deadlineMs: DEADLINE_MS }
      return resultOf(await callback.test(merchantId, options))
    }),
  }
}

/** A partner has no payout custody. */
const merchantOf = ({ account: { id, kind } }: LoggedIn): string =>
  kind === 'merchant' ? id : refuse('FORBIDDEN')

function resultOf(answer: CallbackAnswer): Static<typeof ResendResult> {
  if (answer.kind === 'answered') {
    const { status } = answer
    const delivered = status >= 200 && status < 300
    return { delivered, status, error: delivered ? null : `answered ${status}` }
  }
  const error = answer.kind === 'timeout' ? 'no answer within five seconds' : answer.detail
  return { delivered: false, status: null, error }
}
