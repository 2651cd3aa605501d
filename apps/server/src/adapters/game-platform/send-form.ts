import { cut } from '#kernel/text'
import type { AssetRef, NewOffer } from '#ports/selling'
import { fieldsOf, listOf, own, smallIntegerOf } from '../shared/reader.ts'
import type { BotAnswer } from './calls.ts'

const APP_ID = 730
const MOST_MESSAGE = 128
/** Where 64-bit ids of individual accounts begin. */
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n

export const platformIdOf = (partner: number): string =>
  (FIRST_PLATFORM_ID + BigInt(partner)).toString()

/** The page behind a trade URL. */
export const tradePagePath = ({
  partner,
  token,
}: {
  readonly partner: number
  readonly token: string
}): string => `/tradeoffer/new/?partner=${partner}&token=${encodeURIComponent(token)}`

/** The form with which the site sends an offer; two of its fields are JSON. */
export function formOf(offer: NewOffer): {
  readonly path: string
  readonly referer: string
  readonly form: Readonly<Record<string, string>>
} {
  const { partner, token, give, take } = offer
  return {
    path: '/tradeoffer/new/send',
    referer: tradePagePath(offer),
    form: {
      serverid: '1',
      partner: platformIdOf(partner),
      tradeoffermessage: messageOf(offer),
      json_tradeoffer: JSON.stringify({
        newversion: true,
        version: give.length + take.length + 1,
        me: sideOf(give),
        them: sideOf(take),
      }),
      captcha: '',
      trade_offer_create_params: JSON.stringify({ trade_offer_access_token: token }),
    },
  }
}

/** By the offer intent id an offer is found again: of a message that is too long, the rest gives way. */
export function messageOf({
  offerIntentId,
  message,
}: Pick<NewOffer, 'offerIntentId' | 'message'>): string {
  if (message.split(/\s+/).includes(offerIntentId) && message.length <= MOST_MESSAGE) return message
  const free = MOST_MESSAGE - offerIntentId.length - 1
  const rest = cut(message, Math.max(0, free)).trimEnd()
  return rest === '' ? offerIntentId : `${rest} ${offerIntentId}`
}

const sideOf = (assets: readonly AssetRef[]): object => ({
  assets: assets.map(({ assetId, contextId }) => ({
    appid: APP_ID,
    contextid: contextId,
    amount: 1,
    assetid: assetId,
  })),
  currency: [],
  ready: false,
})

/** How long the platform would keep the items between the two. */
export interface Hold {
  /** For the partner's sake. */
  readonly theirs: number
  /** For our own account's. */
  readonly ours: number
}

/** In seconds. The longer of the two is applied: what both have is the partner's unless it is ours. */
export function holdOf(answer: BotAnswer): Hold | null {
  const response = responseOf(answer) ?? {}
  const seconds = (side: string): number | null =>
    smallIntegerOf(own(fieldsOf(own(response, side)) ?? {}, 'escrow_end_duration_seconds'))
  const theirs = seconds('their_escrow')
  const both = seconds('both_escrow')
  const ours = seconds('my_escrow') ?? 0
  if (theirs === null && both === null) return null
  return { ours, theirs: ours > 0 ? (theirs ?? 0) : Math.max(theirs ?? 0, both ?? 0) }
}

/** What a good answer of the Web API carries. */
export function responseOf(answer: BotAnswer): ReturnType<typeof fieldsOf> {
  if (answer.kind !== 'answer' || answer.status !== 200 || answer.body === null) return null
  if (answer.result !== null && answer.result !== 1) return null
  return fieldsOf(own(answer.body, 'response'))
}

/** A list out of it, empty when it is left out; null when there is no good answer, or no list. */
export function rowsOf(answer: BotAnswer, name: string): readonly unknown[] | null {
  const response = responseOf(answer)
  if (response === null) return null
  const list = own(response, name)
  return list === undefined ? [] : listOf(list)
}

export function detailOf(answer: BotAnswer, fallback: string): string {
  if (answer.kind !== 'answer') return answer.detail
  return `${fallback}: status ${answer.status}, result ${answer.result ?? 'none'}`
}
