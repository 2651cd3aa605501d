import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { one, type Query } from '../../http/query.ts'
import type { SocketRoute } from '../../http/sockets.ts'
import { createMarketBAccount } from './account.ts'
import { createMarketBBuy, sendTooMany } from './buy.ts'
import { createMarketBCancel } from './cancel.ts'
import type { MarketBDeps } from './deps.ts'
import { createMarketBLimits, type LimitGroup } from './limits.ts'
import { say } from './messages.ts'
import { createMarketBNames, type MarketBNames } from './names.ts'
import { createRefusedRows } from './refused-rows.ts'
import { createMarketBSearch } from './search.ts'
import { createSnapshot } from './snapshot.ts'
import { createMarketBSocket } from './socket.ts'

/** The party that speaks the protocol of supplier sheet B. */
export interface MarketB {
  readonly socket: SocketRoute
  routes(app: FastifyInstance): void
  cutSockets(): void
  duplicateMessages(): void
  readonly gate: { isClosed: boolean }
  close(): void
}

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly group: LimitGroup
  /** Market data is answered without a key as well. */
  readonly isKeyless?: true
  readonly answer: (
    query: Query,
    account: string,
    http: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  ) => unknown
}

export function createMarketB(deps: MarketBDeps): MarketB {
  const limits = createMarketBLimits(deps)
  const names = createMarketBNames(deps.keeper)
  const socket = createMarketBSocket(deps, names)
  const calls = listCalls(deps, names)
  let turn = 0
  /** Of the address that calls: before key, call and market, as a whitelist is. Orders go on behind it. */
  const gate = { isClosed: false }

  const serve = async (call: Call, request: FastifyRequest, reply: FastifyReply) => {
    const query = request.query as Query
    const key = one(query, 'api')
    if (gate.isClosed && call.isKeyless === undefined) {
      return reply.code(403).type('text/plain').send('Forbidden')
    }
    const isKnown = key !== undefined && deps.accounts.has('market_b', key)
    if (!isKnown && call.isKeyless === undefined) return say('wrong api')
    const waitMs = limits(key ?? request.ip, call.group)
    if (waitMs > 0) {
      turn += 1
      return sendTooMany(reply, waitMs, turn)
    }
    return call.answer(query, key ?? '', { request, reply })
  }

  return {
    socket: socket.route,
    routes(app) {
      for (const call of calls) {
        app.route({
          method: call.method,
          url: call.path,
          handler: (request, reply) => serve(call, request, reply),
        })
      }
    },
    cutSockets: socket.cutSockets,
    duplicateMessages: socket.duplicateMessages,
    gate,
    close: socket.close,
  }
}

function listCalls(deps: MarketBDeps, names: MarketBNames): readonly Call[] {
  const refusedRows = createRefusedRows(deps.store)
  const search = createMarketBSearch(deps, names)
  const account = createMarketBAccount(deps, { names, refusedRows })
  const buy = createMarketBBuy(deps, { names, refusedRows })
  const cancel = createMarketBCancel(deps)
  const snapshot = createSnapshot(deps, names)

  const get = (path: string, group: LimitGroup, answer: Call['answer']): Call => ({
    method: 'GET',
    path,
    group,
    answer,
  })
  return [
    get('/v1/user', 'other', (_query, key) => account.user(key)),
    {
      method: 'POST',
      path: '/v1/check-tradelink',
      group: 'other',
      answer: (_query, _key, { request }) => account.checkTradeLink(request.body),
    },
    { ...get('/v1/prices', 'prices', search.prices), isKeyless: true },
    {
      ...get('/v1/prices/snapshot', 'prices', (query, _key, { reply }) =>
        sendSnapshot(query, snapshot, reply),
      ),
      isKeyless: true,
    },
    get('/v1/get-items-list', 'other', search.itemsList),
    get('/v1/search-items-by-name', 'search', search.byNames),
    get('/v2/search-items-by-name', 'search', search.byNamesDetailed),
    get('/v1/check-availability', 'other', search.availability),
    get('/v1/buy-one-p2p', 'other', (query, key, { reply }) =>
      buy({ query, account: key, by: 'id', reply }),
    ),
    get('/v1/buy-one-p2p-name', 'other', (query, key, { reply }) =>
      buy({ query, account: key, by: 'name', reply }),
    ),
    get('/v1/cancel-trade', 'other', (query, key, { reply }) => cancel(query, key, reply)),
    get('/v1/check-many-project-id', 'check_many', account.checkProjectIds),
    get('/v1/check-many-steam', 'check_many', account.checkTradeIds),
    get('/v1/history', 'other', account.history),
    {
      method: 'POST',
      path: '/v1/my-history',
      group: 'other',
      answer: (_query, key, { request }) => account.myHistory(request.body, key),
    },
  ]
}

/** The first caller finds the file not ready and has to come again, as at the real market. */
async function sendSnapshot(
  query: Query,
  snapshot: ReturnType<typeof createSnapshot>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const building = snapshot.get()
  if (!snapshot.isReady()) {
    // This build is not awaited here; the next caller receives its failure.
    building.catch(() => {})
    return reply.code(503).header('retry-after', '1').send(say('Snapshot is not ready'))
  }
  const parts = await building
  const isAsked = (name: string): boolean => ['1', 'true'].includes(one(query, name) ?? '')
  const buffers = [
    parts.head,
    ...parts.automatic,
    ...(isAsked('include_manual') ? parts.manual : []),
    ...(isAsked('include_hold') ? parts.locked : []),
  ]
  return reply.type('text/csv; charset=utf-8').send(Readable.from(buffers, { objectMode: false }))
}
