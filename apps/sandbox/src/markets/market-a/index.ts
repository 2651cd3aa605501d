import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { one, type Query } from '../../http/query.ts'
import type { SocketRoute } from '../../http/sockets.ts'
import { createMarketABuy } from './buy.ts'
import { createMarketACancel } from './cancel.ts'
import type { MarketADeps } from './deps.ts'
import { createMarketAExports } from './exports.ts'
import { createMarketAKeys, type MarketAKeys } from './keys.ts'
import { createMarketALookups } from './lookups.ts'
import { createMarketASearch } from './search.ts'
import { createMarketASocket } from './socket.ts'

/** The party that speaks the protocol of supplier sheet A. */
export interface MarketA {
  readonly keys: MarketAKeys
  readonly socket: SocketRoute
  routes(app: FastifyInstance): void
  cutSockets(): void
  expireTokens(): void
  duplicateMessages(): void
  close(): void
}

type Handler = (query: Query, account: string, reply: FastifyReply) => unknown

export function createMarketA(deps: MarketADeps): MarketA {
  const nameIds = numberNames(deps)
  const keys = createMarketAKeys(deps)
  const exports = createMarketAExports(deps, nameIds)
  const search = createMarketASearch(deps)
  const lookups = createMarketALookups(deps)
  const socket = createMarketASocket(deps, nameIds)
  const buy = createMarketABuy(deps)

  const methods: Readonly<Record<string, Handler>> = {
    'search-item-by-hash-name': search.byName,
    'search-item-by-hash-name-specific': search.byNameSpecific,
    'search-list-items-by-hash-name-all': search.listAll,
    buy: (query, account, reply) => buy({ query, account, isForOther: false, reply }),
    'buy-for': (query, account, reply) => buy({ query, account, isForOther: true, reply }),
    'cancel-order': createMarketACancel(deps),
    'get-buy-info-by-custom-id': lookups.byCustomId,
    'get-list-buy-info-by-custom-id': lookups.listByCustomId,
    'check-if-reversed-by-custom-id': lookups.checkReversed,
    history: lookups.history,
    'operation-history': lookups.history,
    'get-money': (_query, account) => lookups.money(account),
    'get-ws-token': (_query, account) => ({ success: true, token: socket.issueToken(account) }),
  }

  const serveMethod = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const name = (request.params as { method: string }).method
    const handler = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (handler === undefined) return { success: false, error: 'Unknown method' }
    if (name.startsWith('buy') && request.headers['user-agent'] === undefined) {
      return reply.code(401).send({ success: false, error: 'Unauthorized' })
    }
    const query = request.query as Query
    const key = one(query, 'key')
    const refusal = keys.admit(key)
    if (key === undefined || refusal !== null) return { success: false, error: refusal }
    return handler(query, key, reply)
  }

  return {
    keys,
    socket: socket.route,
    routes(app) {
      const json = (reply: FastifyReply, body: Buffer) =>
        reply.type('application/json; charset=utf-8').send(body)
      app.get('/api/v2/prices/USD.json', async (_request, reply) =>
        json(reply, await exports.prices()),
      )
      app.get('/api/v2/dictionary/names.json', async (_request, reply) =>
        json(reply, await exports.dictionary()),
      )
      app.get('/api/full-export/USD.json', () => exports.fullExport())
      app.get('/api/full-export/:file', (request, reply) => {
        const body = exports.file((request.params as { file: string }).file)
        return body === undefined
          ? reply.code(404).send({ success: false, error: 'File not found' })
          : json(reply, body)
      })
      app.get('/api/v2/:method', async (request, reply) => serveMethod(request, reply))
    },
    cutSockets: socket.cutSockets,
    expireTokens: socket.expireTokens,
    duplicateMessages: socket.duplicateMessages,
    close: socket.close,
  }
}

/** The dictionary's numbers: one a market hash name, phases together, the same at each start. */
function numberNames({ keeper }: MarketADeps): ReadonlyMap<string, number> {
  const ids = new Map<string, number>()
  for (const { marketHashName } of keeper.dataset.catalogue) {
    if (!ids.has(marketHashName)) ids.set(marketHashName, ids.size + 1)
  }
  return ids
}
