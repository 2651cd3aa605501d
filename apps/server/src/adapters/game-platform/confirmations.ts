// The phone's side of a bot: what the platform asks to be confirmed. We confirm an offer that we sent
// ourselves, by its id, and nothing else, ever: the thief of a session could put an offer of his own there.
import { getConfirmationKey, getDeviceID } from 'steam-totp'
import type { Clock } from '#infra/process/clock'
import type { CallContext, GuardedContext } from '#ports/selling'
import { type Fields, fieldsOf, flagOf, listOf, own, textOf } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotAnswer, BotCalls } from './calls.ts'

export interface Confirmation {
  readonly id: string
  readonly nonce: string
  /** The offer that it would let out. */
  readonly offerId: string
}

export interface Confirmations {
  /** The list as the platform answers it. */
  ask(bot: BotSecrets, context: CallContext): Promise<BotAnswer>
  /** Null when the list could not be read. */
  list(bot: BotSecrets, context: CallContext): Promise<readonly Confirmation[] | null>
  /** Lets the offer out. The caller has committed its intent. */
  confirm(bot: BotSecrets, confirmation: Confirmation, context: GuardedContext): Promise<boolean>
}

export function createConfirmations({
  calls,
  clock,
}: {
  readonly calls: BotCalls
  readonly clock: Clock
}): Confirmations {
  const lastSeconds = new Map<string, number>()

  /** A key is made from the second and is good once: the next one is made from the next second. */
  const keyOf = (bot: BotSecrets, tag: string): Record<string, string> => {
    const now = Math.floor(clock.now().getTime() / 1000)
    const seconds = Math.max(now, (lastSeconds.get(bot.platformId) ?? 0) + 1)
    lastSeconds.set(bot.platformId, seconds)
    return {
      p: getDeviceID(bot.platformId),
      a: bot.platformId,
      k: getConfirmationKey(bot.identitySecret, seconds, tag),
      t: String(seconds),
      m: 'react',
      tag,
    }
  }

  const ask = (bot: BotSecrets, context: CallContext): Promise<BotAnswer> =>
    calls.get({
      ...{ bot, kind: 'confirmations-list', operation: 'mobileconf-getlist' },
      path: '/mobileconf/getlist',
      query: keyOf(bot, 'list'),
      context,
    })

  return {
    ask,
    list: async (bot, context) => listedIn(await ask(bot, context)),
    async confirm(bot, { id, nonce }, context) {
      const answer = await calls.get({
        ...{ bot, kind: 'confirmations-act', operation: 'mobileconf-ajaxop' },
        path: '/mobileconf/ajaxop',
        query: { ...keyOf(bot, 'accept'), op: 'allow', cid: id, ck: nonce },
        ...{ context, guard: context.guard },
      })
      return successOf(answer) !== null
    },
  }
}

/** Null when the list could not be read. */
export function listedIn(answer: BotAnswer): readonly Confirmation[] | null {
  const body = successOf(answer)
  if (body === null) return null
  const stated = own(body, 'conf')
  const rows = stated === undefined ? [] : listOf(stated)
  return rows?.map(readConfirmation).filter((one) => one !== null) ?? null
}

function successOf(answer: BotAnswer): Fields | null {
  if (answer.kind !== 'answer' || answer.status !== 200 || answer.body === null) return null
  return flagOf(own(answer.body, 'success')) === true ? answer.body : null
}

function readConfirmation(row: unknown): Confirmation | null {
  const fields = fieldsOf(row) ?? {}
  const id = textOf(own(fields, 'id'))
  const nonce = textOf(own(fields, 'nonce'))
  const offerId = textOf(own(fields, 'creator_id'))
  return id === null || nonce === null || offerId === null ? null : { id, nonce, offerId }
}
