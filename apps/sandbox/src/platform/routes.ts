import type { FastifyInstance } from 'fastify'
import type { CallLimit } from '../http/call-limit.ts'
import type { Query } from '../http/query.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import type { BotAccounts } from './bots/accounts.ts'
import { serveBotCommunity, signedIn } from './bots/community.ts'
import type { Confirmations } from './bots/confirmations.ts'
import type { BotOffers } from './bots/offers.ts'
import { serveWebApi } from './bots/web-api.ts'
import { headerTrouble, kindOf } from './call-kinds.ts'
import type { Inventories } from './inventories.ts'
import { viewInventory } from './inventory-view.ts'
import { accountIdOf } from './persona.ts'
import type { Privacy } from './privacy.ts'
import type { ScriptQueue } from './script.ts'
import { renderTradePage } from './trade-page.ts'

export interface PlatformDeps {
  readonly inventories: Inventories
  readonly privacy: Privacy
  readonly bots: BotAccounts
  readonly botOffers: BotOffers
  readonly confirmations: Confirmations
  readonly faults: FaultQueues<ScriptQueue>
  readonly demandsHeaders: boolean
  readonly reads: Reads
  readonly stop: AbortSignal
}

/** How many inventories one address may read. */
export interface Reads {
  readonly limit: CallLimit
  /** In a minute; 0 sets no limit. */
  readonly perMinute: number
  /** This many of the next reads are refused, from any address. */
  refusals: number
}

/** The game platform: its community site, and below `/api` its Web API. */
export function servePlatform(app: FastifyInstance, deps: PlatformDeps): void {
  const { inventories, privacy, bots, botOffers, faults } = deps
  takeForms(app)
  app.addHook('onRequest', async (request, reply) => {
    const kind = kindOf(request)
    if (kind === null) return
    const isUnwanted = deps.demandsHeaders && headerTrouble(kind, request) !== null
    if (isUnwanted || faults.take(`429:${kind}`) !== null) await reply.code(429).send('null')
  })

  const tradePage = (query: Query, ownId: string): string =>
    renderTradePage(query, {
      ownId,
      saw: privacy.saw,
      itemCountOf: inventories.countOf,
      isOurHeld: faults.take('own hold') !== null,
    })
  for (const path of ['/tradeoffer/new', '/tradeoffer/new/']) {
    app.get(path, (request, reply) => {
      const bot = signedIn(request, bots)
      if (bot === null) return reply.redirect('/platform/login/home/?goto=tradeoffer%2Fnew%2F', 302)
      const page = tradePage(request.query as Query, bot.platformId)
      return reply.type('text/html; charset=UTF-8').send(page)
    })
  }

  app.get('/inventory/:platformId/730/:context', (request, reply) => {
    const { platformId, context } = request.params as { platformId: string; context: string }
    reply.type('application/json; charset=utf-8')
    if (isTooMany(deps.reads, request.ip)) return reply.code(429).send('null')
    if (accountIdOf(platformId) === null || (context !== '2' && context !== '16')) {
      return reply.code(400).send('null')
    }
    if (privacy.isPrivate(platformId)) return reply.code(403).send('null')
    // What a bot has in its protected context is shown to the bot alone.
    const isHidden = context === '16' && bots.find(platformId) !== undefined
    if (isHidden && signedIn(request, bots)?.platformId !== platformId) {
      return reply.code(403).send('null')
    }
    // What an account has received lately, an anonymous caller does not see.
    const isEmpty = faults.take('items') !== null
    const page = viewInventory(isEmpty ? [] : inventories.of(platformId), {
      context,
      query: request.query as Query,
    })
    return page === null ? reply.code(400).send('null') : JSON.stringify(page)
  })

  serveBotCommunity(app, {
    accounts: bots,
    offers: botOffers,
    takeFault: () => faults.take('send'),
    stop: deps.stop,
  })
  deps.confirmations.serve(app)
  app.register(async (scope) => serveWebApi(scope, { accounts: bots, offers: botOffers, faults }), {
    prefix: '/api',
  })
}

function isTooMany(reads: Reads, address: string): boolean {
  if (reads.refusals > 0) {
    reads.refusals -= 1
    return true
  }
  return reads.perMinute > 0 && reads.limit.spend(address, reads.perMinute) > 0
}

/** The site takes forms; a field is read as a field of a query is. */
function takeForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, text: string): Promise<Query> =>
      Object.fromEntries(new URLSearchParams(text)),
  )
}
