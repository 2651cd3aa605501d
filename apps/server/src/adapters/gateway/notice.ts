import type { NoticeAnswer, NoticeHeaders, OrderKey } from '#ports/deposits'
import { toDepositId } from '../shared/deposit-ids.ts'
import { headerOf, hmacSha512, isSameSignature } from '../shared/hmac.ts'
import { fieldsOf, own, parseJson, textOf } from '../shared/reader.ts'

/** Every attempt is signed anew; an older one was recorded by a third party. */
const MOST_AGE_MS = 300_000

/** The same signature as that of our calls, over the bytes as they came. */
export function readNotice(
  secret: string,
  headers: NoticeHeaders,
  { rawBody, now }: { readonly rawBody: Buffer; readonly now: Date },
): NoticeAnswer {
  const timestamp = headerOf(headers, 'x-gatepay-timestamp')
  const nonce = headerOf(headers, 'x-gatepay-nonce')
  const signature = headerOf(headers, 'x-gatepay-signature')
  const signed = Buffer.concat([
    Buffer.from(`${timestamp}\n${nonce}\n`),
    rawBody,
    Buffer.from('\n'),
  ])
  if (!isSameSignature(signature, hmacSha512(secret, signed))) return { kind: 'bad_signature' }
  const ageMs = now.getTime() - Number(timestamp)
  if (!/^\d{13}$/.test(timestamp) || Math.abs(ageMs) > MOST_AGE_MS) return { kind: 'bad_signature' }
  return { kind: 'notice', order: orderOf(parseJson(rawBody.toString('utf8'))) }
}

/** `data` is JSON inside JSON. Of a refund `bizId` is the refund's own id. */
function orderOf(body: unknown): OrderKey | null {
  const notice = fieldsOf(body) ?? {}
  const inner = own(notice, 'data')
  const data = fieldsOf(typeof inner === 'string' ? parseJson(inner) : inner) ?? {}
  const orderId = toDepositId(own(data, 'merchantTradeNo'))
  if (orderId !== null) return { orderId }
  const isRefund = own(notice, 'bizType') === 'PAY_REFUND'
  const prepayId = textOf(own(data, 'prepayId')) ?? (isRefund ? null : textOf(own(notice, 'bizId')))
  return prepayId === null ? null : { providerOrderId: prepayId }
}
