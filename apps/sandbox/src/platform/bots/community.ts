import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { one, type Query } from '../../http/query.ts'
import { cut, sendHtml } from '../../http/reply.ts'
import { waitMs } from '../../kernel/turn.ts'
import { accountIdOf, behaviourOf, parseTradePartner, personaOf } from '../persona.ts'
import { parseSendFault, type SendFault } from '../script.ts'
import type { BotAccount, BotAccounts } from './accounts.ts'
import { botOfferIdOf } from './offer.ts'
import type { BotOffers, SendRequest } from './offers.ts'

export interface CommunityDeps {
  readonly accounts: BotAccounts
  readonly offers: BotOffers
  /** The word for the send that has just arrived. */
  readonly takeFault: () => string | null
  readonly stop: AbortSignal
}

const PLEASE_TRY_LATER =
  'There was an error sending your trade offer.  Please try again later.<br><br>'
const INVALID_STATE = 11
const ACCESS_DENIED = 15
const LIMIT_EXCEEDED = 25
const REVOKED = 26

/** The community site as a bot with cookies uses it: sending offers and taking them back. */
export function serveBotCommunity(app: FastifyInstance, deps: CommunityDeps): void {
  const { accounts, offers } = deps

  app.post('/tradeoffer/new/send', async (request, reply) => {
    const fault = parseSendFault(deps.takeFault() ?? '')
    if (fault?.kind === 'session_lost') for (const bot of accounts.list) accounts.endSessions(bot)
    const bot = signedIn(request, accounts)
    if (bot === null) return reply.code(401).send('null')
    if (fault?.kind === 'slow') await waitMs(fault.durationMs, deps.stop)
    return send(readSend(request.body, bot), fault, { deps, reply })
  })

  // The page shows a notice about trade protection until it is acknowledged. The best known client sends
  // this request with two slashes.
  for (const path of ['/trade/new/acknowledge', '//trade/new/acknowledge']) {
    app.post(path, (request, reply) =>
      signedIn(request, accounts) === null
        ? reply.code(401).send('null')
        : reply.send({ success: true }),
    )
  }

  for (const verb of ['cancel', 'decline']) {
    app.post(`/tradeoffer/:offerId/${verb}`, (request, reply) => {
      const bot = signedIn(request, accounts)
      if (bot === null) return reply.code(401).send('null')
      const { offerId } = request.params as { offerId: string }
      const offer = offers.find(offerId)
      const isOwn = offer?.botId === bot.platformId
      const moved = isOwn && offer !== undefined ? offers.move(offer, 'canceled', 'bot') : null
      return moved === null
        ? refuse(reply, 'There was an error canceling this trade offer.', INVALID_STATE)
        : reply.send({ tradeofferid: offerId })
    })
  }
}

/** The bot whose cookies came along; a form must repeat the session id of the cookie. */
export function signedIn(request: FastifyRequest, accounts: BotAccounts): BotAccount | null {
  const cookies = new Map(
    (request.headers.cookie ?? '').split(/;\s*/).map((pair): [string, string] => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
  const [platformId, token] = decodeURIComponent(cookies.get('steamLoginSecure') ?? '').split('||')
  const bot = accounts.holderOf(token)
  if (bot === null || bot.platformId !== platformId) return null
  if (request.method === 'GET') return bot
  const sessionId = one((request.body as Query | null) ?? {}, 'sessionid')
  return sessionId !== undefined && sessionId === cookies.get('sessionid') ? bot : null
}

function send(
  request: SendRequest | null,
  fault: SendFault | null,
  { deps, reply }: { readonly deps: CommunityDeps; readonly reply: FastifyReply },
): FastifyReply | undefined {
  if (fault?.kind === 'too_many_requests') return reply.code(429).send('null')
  if (fault?.kind === 'reject') return refuse(reply, PLEASE_TRY_LATER, fault.result)
  const isBroken = fault?.kind === 'lost_reply' || fault?.kind === 'http_500'
  if (isBroken && !fault.isPlaced) return broken(reply, fault)
  const trouble = request === null ? null : troubleWith(request)
  if (request === null) return refuse(reply, PLEASE_TRY_LATER, ACCESS_DENIED)
  if (trouble !== null) return reply.code(500).send({ strError: trouble })
  const sent = deps.offers.send(request)
  if (isBroken) return broken(reply, fault)
  if (sent.kind === 'items_gone') return refuse(reply, PLEASE_TRY_LATER, REVOKED)
  if (sent.kind === 'too_many') {
    const { name } = personaOf(request.partner)
    const text = `You have sent too many trade offers, or have too many outstanding trade offers with ${name}. Please cancel some before sending more.`
    return refuse(reply, text, LIMIT_EXCEEDED)
  }
  return reply.send({
    tradeofferid: botOfferIdOf(sent.offer),
    ...(sent.offer.progress.stage === 'confirming'
      ? { needs_mobile_confirmation: true, needs_email_confirmation: false, email_domain: '' }
      : {}),
  })
}

function broken(
  reply: FastifyReply,
  fault: Extract<SendFault, { kind: 'lost_reply' | 'http_500' }>,
): FastifyReply | undefined {
  if (fault.kind === 'http_500') return sendHtml(reply, 500, '500 Internal Server Error')
  cut(reply)
  return undefined
}

/** A refusal comes with status 500, and with its number at the end of the sentence. */
const refuse = (reply: FastifyReply, text: string, result: number): FastifyReply =>
  reply.code(500).send({ strError: `${text.trimEnd()} (${result})` })

function troubleWith({ partner, token }: SendRequest): string | null {
  const { name } = personaOf(partner)
  switch (behaviourOf(token)) {
    case 'trade_banned':
      return `You cannot trade with ${name} because they have a trade ban.`
    case 'private_inventory':
      return `${name} is not available to trade. More information will be shown to ${name} if they invite you to trade.`
    default:
      return null
  }
}

/** The form of a send: a JSON text for the items, another for the token. */
function readSend(body: unknown, bot: BotAccount): SendRequest | null {
  const form = (body as Query | null) ?? {}
  const partnerId = one(form, 'partner') ?? ''
  const items = parse(one(form, 'json_tradeoffer'))
  const params = parse(one(form, 'trade_offer_create_params'))
  const partner = parseTradePartner(
    String(accountIdOf(partnerId) ?? ''),
    String(params?.trade_offer_access_token ?? ''),
  )
  const give = readAssets(items?.me)
  const take = readAssets(items?.them)
  if (partner === null || give === null || take === null) return null
  const message = (one(form, 'tradeoffermessage') ?? '').slice(0, MOST_MESSAGE)
  return {
    botId: bot.platformId,
    partner: partner.partner,
    partnerId: partner.platformId,
    token: partner.token,
    message,
    give,
    take,
  }
}

const MOST_MESSAGE = 128

function readAssets(side: unknown): string[] | null {
  const { assets } = (side ?? {}) as { assets?: unknown }
  if (!Array.isArray(assets)) return null
  const ids = (assets as Record<string, unknown>[]).map((row) =>
    row.appid === 730 && String(row.contextid) === '2' ? String(row.assetid) : null,
  )
  const known = ids.filter((id) => id !== null)
  return known.length === ids.length ? known : null
}

function parse(text: string | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
