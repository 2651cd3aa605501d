// The approval callback of payouts: a signed webhook message, posted directly.
import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import {
  type ApprovalCallback,
  type CallbackAnswer,
  readMerchantSettings,
  readWithdrawals,
} from '#payouts'
import { type DirectDeps, findDirectUrl, postDirectly } from '#webhooks'
import { merchantEvents } from '#wire/merchant/events/index'

const TYPE = 'payout.crypto.withdraw.approval'

export function createApprovalCallback(deps: DirectDeps & { readonly db: Db }): ApprovalCallback {
  const { db } = deps
  return {
    isUsable: async (merchantId) =>
      (await findDirectUrl(deps, merchantId, await ownUrl(db, merchantId))) !== null,

    post: async ({ merchantId, webhookId, withdrawalId, createdAt, deadlineMs }) => {
      const [withdrawal] = await readWithdrawals(db, [withdrawalId])
      const about = assertDefined(withdrawal, 'the withdrawal of an approval')
      const answer = await postDirectly(deps, {
        tenantId: merchantId,
        own: await ownUrl(db, merchantId),
        id: webhookId,
        eventType: TYPE,
        createdAt,
        data: merchantEvents[TYPE].render(about, {}),
        deadlineMs,
      })
      return answerOf(answer)
    },
  }
}

async function ownUrl(
  db: Db,
  merchantId: string,
): Promise<{ url: string; secretSealed: string } | null> {
  const { callbackUrl, callbackSecretSealed } = await readMerchantSettings(db, merchantId)
  if (callbackUrl === null || callbackSecretSealed === null) return null
  return { url: callbackUrl, secretSealed: callbackSecretSealed }
}

function answerOf(answer: Awaited<ReturnType<typeof postDirectly>>): CallbackAnswer {
  switch (answer?.kind) {
    case undefined:
      return { kind: 'failed', detail: 'there is no usable callback URL any more' }
    case 'answered':
      return { kind: 'answered', status: answer.status }
    case 'timeout':
      return { kind: 'timeout' }
    case 'blocked':
      return { kind: 'failed', detail: 'address not allowed' }
    case 'failed':
      return { kind: 'failed', detail: answer.detail }
    case 'deferred':
      return { kind: 'deferred', detail: answer.cause }
  }
}
