import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { integer, one, type Query } from '../../http/query.ts'
import type { FaultQueues } from '../../party/fault-queues.ts'
import { accountIdOf, behaviourOf, parseTradePartner } from '../persona.ts'
import type { ScriptQueue } from '../script.ts'
import type { BotAccount, BotAccounts } from './accounts.ts'
import { readLoginRequest, writeLoginAnswer } from './login-message.ts'
import type { BotOffer } from './offer.ts'
import { updatedAtMs, viewTrade, viewWebOffer } from './offer-view.ts'
import type { BotOffers } from './offers.ts'

const OK = 1
const FAIL = 2
const INVALID_STATE = 11
const ACCESS_DENIED = 15

const OFFERS_PER_PAGE = 100
const HOLD_SECONDS = 15 * 86_400
/** Of a bot whose authenticator is new. */
const OWN_HOLD_SECONDS = 7 * 86_400
/** So often the platform says that an answer failed which did not. */
const FALSE_FAILURE_EVERY = 7

/** The Web API: JSON with the outcome in a header, and the log-in as a protocol buffer. */
export function serveWebApi(
  app: FastifyInstance,
  deps: {
    readonly accounts: BotAccounts
    readonly offers: BotOffers
    readonly faults: FaultQueues<ScriptQueue>
  },
): void {
  const { accounts, offers, faults } = deps
  let answers = 0

  const answer = (reply: FastifyReply, result: number, response: object): FastifyReply => {
    answers += 1
    const isFalseFailure = result === OK && answers % FALSE_FAILURE_EVERY === 0
    return reply
      .header('x-eresult', String(isFalseFailure ? FAIL : result))
      .type('application/json; charset=UTF-8')
      .send(JSON.stringify({ response }))
  }
  const withBot =
    (work: (bot: BotAccount, input: Query, reply: FastifyReply) => FastifyReply) =>
    (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const input = { ...(request.query as Query), ...((request.body as Query | null) ?? {}) }
      const bot = accounts.holderOf(one(input, 'access_token'))
      return bot === null ? denied(reply) : work(bot, input, reply)
    }

  app.post('/IAuthenticationService/GenerateAccessTokenForApp/v1/', (request, reply) => {
    const encoded = one((request.body as Query | null) ?? {}, 'input_protobuf_encoded') ?? ''
    const message = readLoginRequest(Buffer.from(encoded, 'base64'))
    const login = message === null ? null : accounts.login(message.refreshToken, message.mayRenew)
    reply.type('application/octet-stream').header('x-eresult', String(login ? OK : ACCESS_DENIED))
    return reply.send(login === null ? Buffer.alloc(0) : writeLoginAnswer(login))
  })

  app.get(
    '/IEconService/GetTradeOffers/v1/',
    withBot((bot, input, reply) => answer(reply, OK, listOffers(offers, bot, input))),
  )

  app.get(
    '/IEconService/GetTradeOffer/v1/',
    withBot((bot, input, reply) => {
      const offer = ownOffer(offers, bot, one(input, 'tradeofferid'))
      return answer(reply, OK, offer === null ? {} : { offer: viewWebOffer(offer) })
    }),
  )

  app.get(
    '/IEconService/GetTradeStatus/v1/',
    withBot((bot, input, reply) => {
      const offer = offers.findByTrade(one(input, 'tradeid') ?? '')
      const isOwn = offer?.botId === bot.platformId
      return answer(reply, OK, { trades: isOwn && offer ? [viewTrade(offer)] : [] })
    }),
  )

  app.get(
    '/IEconService/GetTradeHoldDurations/v1/',
    withBot((_bot, input, reply) => {
      const fault = faults.take('hold')
      if (fault === 'hold_403') return denied(reply, 403)
      const partner = accountIdOf(one(input, 'steamid_target') ?? '')
      const token = one(input, 'trade_offer_access_token')
      // Of one who is no friend it says nothing without the token.
      if (fault === 'hold_empty' || token === undefined) return answer(reply, OK, {})
      const checked = parseTradePartner(String(partner ?? ''), token)
      if (checked === null) return answer(reply, ACCESS_DENIED, {})
      const isHeld = behaviourOf(checked.token) === 'platform_hold'
      const theirs = { escrow_end_duration_seconds: isHeld ? HOLD_SECONDS : 0 }
      const isOurHeld = faults.take('own hold') !== null
      const mine = { escrow_end_duration_seconds: isOurHeld ? OWN_HOLD_SECONDS : 0 }
      const both = isHeld ? theirs : mine
      return answer(reply, OK, { my_escrow: mine, their_escrow: theirs, both_escrow: both })
    }),
  )

  app.post(
    '/IEconService/CancelTradeOffer/v1/',
    withBot((bot, input, reply) => {
      const offer = ownOffer(offers, bot, one(input, 'tradeofferid'))
      const canceled = offer === null ? null : offers.move(offer, 'canceled', 'bot')
      return answer(reply, canceled === null ? INVALID_STATE : OK, {})
    }),
  )
}

function denied(reply: FastifyReply, status = 401): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=UTF-8')
    .send(
      '<html><head><title>Unauthorized</title></head><body><h1>Unauthorized</h1>Access is denied. Retrying will not help. Please verify your <pre>key=</pre> parameter.</body></html>',
    )
}

const ownOffer = (
  offers: BotOffers,
  bot: BotAccount,
  offerId: string | undefined,
): BotOffer | null => {
  const offer = offers.find(offerId ?? '')
  return offer?.botId === bot.platformId ? offer : null
}

function listOffers(offers: BotOffers, bot: BotAccount, input: Query): Record<string, unknown> {
  const isActiveOnly = one(input, 'active_only') === '1'
  const cutoffSeconds = integer(input, 'time_historical_cutoff')
  const cutoffMs = cutoffSeconds == null ? Number.POSITIVE_INFINITY : cutoffSeconds * 1000
  const start = integer(input, 'cursor') ?? 0
  const isOut = ({ progress }: BotOffer): boolean =>
    progress.stage === 'active' || progress.stage === 'confirming'
  const wanted: BotOffer[] = []
  if (one(input, 'get_sent_offers') === '1') {
    for (const offer of offers.all()) {
      if (offer.botId !== bot.platformId) continue
      if (!isActiveOnly || isOut(offer) || updatedAtMs(offer) >= cutoffMs) wanted.push(offer)
    }
  }
  const page = wanted.slice(start, start + OFFERS_PER_PAGE)
  const next = start + page.length
  return {
    ...(page.length === 0 ? {} : { trade_offers_sent: page.map(viewWebOffer) }),
    next_cursor: next < wanted.length ? next : 0,
  }
}
