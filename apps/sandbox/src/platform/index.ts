import type { FastifyInstance } from 'fastify'
import { guardParty } from '../http/party-gate.ts'
import type { Query } from '../http/query.ts'
import type { Switchboard } from '../markets/switchboard.ts'
import type { Inventories } from './inventories.ts'
import { viewInventory } from './inventory-view.ts'
import { accountIdOf } from './persona.ts'
import type { Privacy } from './privacy.ts'
import { renderTradePage } from './trade-page.ts'

/** The game platform's community site: what a broker reads of it. */
export function servePlatform(
  app: FastifyInstance,
  deps: {
    readonly inventories: Inventories
    readonly privacy: Privacy
    readonly switchboard: Switchboard
    readonly stop: AbortSignal
  },
): void {
  const { inventories, privacy } = deps
  guardParty(app, { party: 'platform', switchboard: deps.switchboard, stop: deps.stop })

  const tradePage = (query: Query): string =>
    renderTradePage(query, { saw: privacy.saw, itemCountOf: inventories.countOf })
  for (const path of ['/tradeoffer/new', '/tradeoffer/new/']) {
    app.get(path, (request, reply) =>
      reply.type('text/html; charset=UTF-8').send(tradePage(request.query as Query)),
    )
  }

  app.get('/inventory/:platformId/730/:context', (request, reply) => {
    const { platformId, context } = request.params as { platformId: string; context: string }
    reply.type('application/json; charset=utf-8')
    if (accountIdOf(platformId) === null || (context !== '2' && context !== '16')) {
      return reply.code(400).send('null')
    }
    if (privacy.isPrivate(platformId)) return reply.code(403).send('null')
    const page = viewInventory(inventories.of(platformId), {
      context,
      query: request.query as Query,
    })
    return page === null ? reply.code(400).send('null') : JSON.stringify(page)
  })
}
