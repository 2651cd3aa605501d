import type { FastifyInstance, FastifyRequest } from 'fastify'
import { integer, one, type Query } from '../../http/query.ts'
import type { Clock } from '../../kernel/clock.ts'
import { personaOf } from '../persona.ts'
import type { BotAccount, BotAccounts } from './accounts.ts'
import { signedIn } from './community.ts'
import { type BotOffer, botOfferIdOf } from './offer.ts'
import type { BotOffers } from './offers.ts'

const OF_A_TRADE = 2
const FIRST_CONFIRMATION_ID = 14_000_000_000

export interface Confirmations {
  /** Puts one into every bot's list that belongs to no offer of the broker's, as a thief's would. */
  addForeign(): void
  serve(app: FastifyInstance): void
}

/** What the bots' phones ask: shall this offer go out? */
export function createConfirmations(deps: {
  readonly accounts: BotAccounts
  readonly offers: BotOffers
  readonly clock: Clock
}): Confirmations {
  const { accounts, offers, clock } = deps
  let foreign = 0

  const waiting = (bot: BotAccount): BotOffer[] =>
    [...offers.all()].filter(
      ({ botId, progress }) => botId === bot.platformId && progress.stage === 'confirming',
    )

  return {
    addForeign() {
      foreign += 1
    },
    serve(app) {
      app.get('/mobileconf/getlist', (request) => {
        const bot = signedIn(request, accounts)
        if (bot === null) return { success: false, needauth: true }
        if (!hasGoodKey(request, bot, accounts)) return WRONG_CODES
        const foreignOnes = Array.from({ length: foreign }, (_, index) =>
          viewForeign(index + 1, clock.nowMs()),
        )
        return { success: true, conf: [...waiting(bot).map(view), ...foreignOnes] }
      })

      app.get('/mobileconf/ajaxop', (request) => {
        const bot = signedIn(request, accounts)
        if (bot === null) return { success: false, needauth: true }
        if (!hasGoodKey(request, bot, accounts)) return WRONG_CODES
        const query = request.query as Query
        const offer = waiting(bot).find((candidate) => idOf(candidate) === one(query, 'cid'))
        if (offer === undefined || nonceOf(offer) !== one(query, 'ck')) return { success: false }
        const isAllowed = one(query, 'op') === 'allow'
        return { success: offers.move(offer, isAllowed ? 'active' : 'canceled', 'bot') !== null }
      })
    },
  }
}

const WRONG_CODES = {
  success: false,
  message: 'Oh nooooooes!',
  detail:
    'It looks like your Steam Guard Mobile Authenticator is providing incorrect Steam Guard codes.',
}

function hasGoodKey(request: FastifyRequest, bot: BotAccount, accounts: BotAccounts): boolean {
  const query = request.query as Query
  const timeSeconds = integer(query, 't')
  if (one(query, 'a') !== bot.platformId || timeSeconds == null) return false
  const key = one(query, 'k') ?? ''
  return accounts.spendConfirmationKey(bot, { key, timeSeconds, tag: one(query, 'tag') ?? '' })
}

const idOf = ({ seq }: BotOffer): string => String(FIRST_CONFIRMATION_ID + seq)
const nonceOf = ({ seq }: BotOffer): string => String(9_000_000_000_000_000 - seq * 7919)

function view(offer: BotOffer): Record<string, unknown> {
  const { name } = personaOf(offer.partner)
  return {
    type: OF_A_TRADE,
    type_name: 'Trade Offer',
    id: idOf(offer),
    creator_id: botOfferIdOf(offer),
    nonce: nonceOf(offer),
    creation_time: Math.floor(offer.createdAtMs / 1000),
    cancel: 'Cancel',
    accept: 'Send Offer',
    icon: '',
    multi: false,
    headline: name,
    summary: [`You will give up your ${offer.give.length} items`, 'You will receive nothing'],
    warn: null,
  }
}

const viewForeign = (number: number, nowMs: number): Record<string, unknown> => ({
  type: OF_A_TRADE,
  type_name: 'Trade Offer',
  id: String(FIRST_CONFIRMATION_ID - number),
  creator_id: String(6_000_000_000 + number),
  nonce: String(8_000_000_000_000_000 + number),
  creation_time: Math.floor(nowMs / 1000),
  cancel: 'Cancel',
  accept: 'Send Offer',
  icon: '',
  multi: false,
  headline: 'Another account',
  summary: ['You will give up everything', 'You will receive nothing'],
  warn: null,
})
