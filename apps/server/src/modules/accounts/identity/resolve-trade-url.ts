import type { Clock } from '#infra/process/clock'
import { createKeyedMemo } from '#infra/process/memo'
import { refuse } from '#kernel/refusal'
import type {
  GamePlatform,
  LookUpContext,
  ParsedTradeUrl,
  Persona,
  TradeUrlAnswer,
} from './ports.ts'
import { platformIdOf } from './trade-url.ts'

export interface ResolvedTradeUrl {
  /** The one spelling under which it is stored and compared. */
  readonly url: string
  readonly partner: number
  readonly token: string
  readonly platformId: string
  readonly persona: Persona
  /** Days that the platform would hold a trade to this account. */
  readonly holdDays: number
  readonly probation: boolean
}

/**
 * Asks the game platform who stands behind a trade URL. Refuses VALIDATION_FAILED for another form,
 * TRADEURL_INVALID_TOKEN for one that the platform does not take, PLATFORM_UNAVAILABLE when it is away or the
 * tenant has asked for more than its share of the look-ups. Never call it inside a transaction.
 *
 * `pointer` says which field of the request the text came from.
 */
export type ResolveTradeUrl = (
  text: string,
  context: LookUpContext,
  pointer?: string,
) => Promise<ResolvedTradeUrl>

export interface ResolveTradeUrlDeps {
  readonly platform: GamePlatform
  readonly clock: Clock
  /** What a trade URL says, and its canonical spelling; null for another text. */
  readonly readTradeUrl: (text: string) => TradeUrlText | null
}

export interface TradeUrlText {
  readonly partner: number
  readonly token: string
  readonly url: string
}

/** Good answers are kept ten minutes from when they were given; refusals never: the user may correct them. */
export function createTradeUrlResolver({
  platform,
  clock,
  readTradeUrl,
}: ResolveTradeUrlDeps): ResolveTradeUrl {
  // A burst for one URL is one call; refusals are not kept.
  const memo = createKeyedMemo<TradeUrlAnswer>({
    clock,
    freshMs: KEEP_MS,
    max: MAX_KEPT,
    isKept: ({ kind }) => kind === 'resolved',
  })
  const ask = async (parsed: ParsedTradeUrl, context: LookUpContext): Promise<TradeUrlAnswer> => {
    const load = async (): Promise<TradeUrlAnswer> =>
      believe(await platform.resolveTradeUrl(parsed, context), parsed)
    const answer = await memo(parsed.canonical, load)
    // It may have been given to another process some time before.
    const isOver = answer.kind === 'resolved' && answer.goodUntil && answer.goodUntil <= clock.now()
    return isOver ? load() : answer
  }

  return async (text, context, pointer = '/tradeUrl') => {
    const read = readTradeUrl(text)
    if (read === null) return refuseForm(pointer)
    const { partner, token, url } = read
    const platformId = platformIdOf(partner)
    const answer = await ask({ partner, token, platformId, canonical: url }, context)
    switch (answer.kind) {
      case 'refused':
        return refuse('TRADEURL_INVALID_TOKEN')
      case 'unavailable':
        return refusePlatform(answer)
      case 'resolved':
        return {
          ...{ url, partner, token, platformId },
          persona: answer.persona,
          holdDays: answer.holdDays,
          probation: answer.probation,
        }
    }
  }
}

/** An answer about another account is no answer: items would go to the wrong account. */
const believe = (answer: TradeUrlAnswer, asked: ParsedTradeUrl): TradeUrlAnswer =>
  answer.kind === 'resolved' && answer.persona.platformId !== asked.platformId
    ? { kind: 'unavailable', detail: 'the platform answered for another account' }
    : answer

const refusePlatform = ({ retryAfterMs }: { readonly retryAfterMs?: number | undefined }): never =>
  refuse(
    'PLATFORM_UNAVAILABLE',
    retryAfterMs === undefined ? undefined : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) },
  )

const refuseForm = (pointer: string): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      { in: 'body', pointer, rule: 'format', message: 'is no trade URL of the game platform' },
    ],
  })

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 10_000
