// The approval callback of payouts: a signed webhook message, posted directly.
import { newId } from '#kernel/id'
import type { ApprovalCallback, CallbackAnswer, MerchantSettings } from '#payouts'
import { createDirectPosts, type DirectDeps, TEST_EVENT, type WebhookAnswer } from '#webhooks'
import { merchantEvents } from '#wire/merchant/events/index'

const TYPE = 'payout.crypto.withdraw.approval'

export function createApprovalCallback(deps: DirectDeps): ApprovalCallback {
  const direct = createDirectPosts(deps)
  return {
    isUsable: async (merchantId, settings) =>
      isApproving(settings) && (await direct.findUrl(merchantId, settings.callback)) !== null,

    findUrl: async (tx, merchantId, settings) =>
      isApproving(settings) ? direct.findUrl(merchantId, settings.callback, tx) : null,

    post: async (withdrawal, { settings, deadlineMs }) => {
      if (!isApproving(settings)) return { answer: answerOf(undefined), sent: null, url: null }
      const posted = await direct.post({
        tenantId: withdrawal.ownerId,
        own: settings.callback,
        id: withdrawal.approvalId,
        eventType: TYPE,
        createdAt: withdrawal.createdAt,
        data: merchantEvents[TYPE].render(withdrawal, {}),
        deadlineMs,
      })
      return {
        answer: answerOf(posted?.answer),
        sent: posted?.sent ?? null,
        url: posted?.url ?? null,
      }
    },

    test: async (merchantId, { settings, at, deadlineMs }) => {
      if (!isApproving(settings)) return answerOf(undefined)
      const posted = await direct.post({
        ...{ tenantId: merchantId, own: settings.callback, deadlineMs },
        ...{ id: newId(at.getTime()), eventType: TEST_EVENT, createdAt: at, data: {} },
      })
      return answerOf(posted?.answer)
    },
  }
}

/** An address of its own, or a webhook endpoint that has its address from a member who may move money. */
const isApproving = ({ callback, isEndpointConfirmed }: MerchantSettings): boolean =>
  callback !== null || isEndpointConfirmed

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
