// The approval callback of payouts: a signed webhook message, posted directly.
import type { ApprovalCallback, CallbackAnswer, MerchantSettings } from '#payouts'
import { createDirectPosts, type DirectDeps, type WebhookAnswer } from '#webhooks'
import { merchantEvents } from '#wire/merchant/events/index'

const TYPE = 'payout.crypto.withdraw.approval'

export function createApprovalCallback(deps: DirectDeps): ApprovalCallback {
  const direct = createDirectPosts(deps)
  return {
    isUsable: async (merchantId, settings) =>
      (await direct.findUrl(merchantId, ownUrl(settings))) !== null,

    post: async (withdrawal, { settings, deadlineMs }) => {
      const posted = await direct.post({
        tenantId: withdrawal.ownerId,
        own: ownUrl(settings),
        id: withdrawal.approvalId,
        eventType: TYPE,
        createdAt: withdrawal.createdAt,
        data: merchantEvents[TYPE].render(withdrawal, {}),
        deadlineMs,
      })
      return { answer: answerOf(posted?.answer), sent: posted?.sent ?? null }
    },
  }
}

const ownUrl = ({
  callbackUrl,
  callbackSecretSealed,
}: MerchantSettings): { url: string; secretSealed: string } | null =>
  callbackUrl === null || callbackSecretSealed === null
    ? null
    : { url: callbackUrl, secretSealed: callbackSecretSealed }

function answerOf(answer: WebhookAnswer | undefined): CallbackAnswer {
  switch (answer?.kind) {
    case undefined:
      return { kind: 'failed', detail: 'there is no usable callback URL any more' }
    case 'answered':
      return { kind: 'answered', status: answer.status, body: answer.body }
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
