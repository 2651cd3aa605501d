import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireLocalCaller } from '../http/local-only.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Mailbox } from '../mail/mailbox.ts'
import type { Order } from '../markets/order.ts'
import type { Orders } from '../markets/orders.ts'
import { MARKET_IDS } from '../markets/switchboard.ts'
import { accountIdOf, personaOf } from '../platform/persona.ts'
import type { Privacy } from '../platform/privacy.ts'
import { ControlFault } from './body.ts'
import { type MarketControlDeps, serveMarketControls, viewMarket } from './market-controls.ts'
import { serveOfferControls } from './offer-controls.ts'
import { serveOrderControls } from './order-controls.ts'
import { type PlatformControlDeps, servePlatformControls } from './platform-controls.ts'

export interface ControlDeps extends MarketControlDeps, PlatformControlDeps {
  readonly clock: Clock
  readonly seed: number
  readonly holdMs: number
  readonly orders: Orders
  readonly privacy: Privacy
  readonly mailbox: Mailbox
}

/** The interface for people and tests that move the external systems. For this machine only. */
export function serveControl(app: FastifyInstance, deps: ControlDeps): void {
  requireLocalCaller(app)
  answerFaults(app)
  takeEmptyBodies(app)

  app.get('/state', () => viewState(deps))
  serveMarketControls(app, deps)
  serveOrderControls(app, deps)
  serveOfferControls(app, deps)
  servePlatformControls(app, deps)

  app.get('/inventories/:platformId', (request) => {
    const { platformId } = request.params as { platformId: string }
    return viewInventory(platformId, deps)
  })

  app.get('/mail', () => ({ items: deps.mailbox.list() }))

  for (const path of ['/gateway', '/gateway/*', '/onramp/*', '/chains/*']) {
    app.all(path, (_request, reply) =>
      reply.code(501).send({
        error:
          'The sandbox has no payment gateway, on-ramp or chains yet: only markets and platform.',
      }),
    )
  }
}

/** Where the service posts the e-mail that nobody shall really get. */
export function serveMailSink(app: FastifyInstance, { mailbox, clock }: ControlDeps): void {
  requireLocalCaller(app)
  app.post('/mail', (request, reply) => {
    mailbox.receive({ receivedAt: new Date(clock.nowMs()).toISOString(), body: request.body })
    return reply.code(202).send({ received: true })
  })
}

/** Verbs without a body are often sent as JSON all the same; nothing is then no body. */
function takeEmptyBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  const parse = async (_request: FastifyRequest, text: string): Promise<unknown> => {
    if (text.trim() === '') return undefined
    try {
      return JSON.parse(text)
    } catch {
      throw new ControlFault(400, 'The body is not JSON.')
    }
  }
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parse)
}

function answerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ControlFault)
      return reply.code(error.status).send({ error: error.message })
    const { statusCode, message } = error as { statusCode?: number; message: string }
    return reply.code(statusCode ?? 500).send({ error: message })
  })
}

function viewState(deps: ControlDeps): Record<string, unknown> {
  const { orders, switchboard } = deps
  return {
    now: new Date(deps.clock.nowMs()).toISOString(),
    seed: deps.seed,
    holdSeconds: deps.holdMs / 1000,
    markets: Object.fromEntries(
      MARKET_IDS.map((market) => [
        market,
        {
          ...viewMarket(market, deps),
          orders: countByStage(orders.index.all(), (order) => order.market === market),
        },
      ]),
    ),
    platform: { ...switchboard.party('platform'), script: deps.platformScript.list() },
    mail: deps.mailbox.list().length,
  }
}

function countByStage(
  orders: Iterable<Order>,
  isCounted: (order: Order) => boolean,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const order of orders) {
    if (!isCounted(order)) continue
    const { stage } = order.progress
    counts[stage] = (counts[stage] ?? 0) + 1
  }
  return counts
}

function viewInventory(platformId: string, deps: ControlDeps): Record<string, unknown> {
  const accountId = accountIdOf(platformId)
  if (accountId === null) {
    throw new ControlFault(400, 'The platform id must be the 64-bit id of an account.')
  }
  const items = deps.inventories.of(platformId)
  return {
    platformId,
    personaName: personaOf(accountId).name,
    private: deps.privacy.isPrivate(platformId),
    items: items.map(({ assetId, asset, tradable, marketable, context }) => ({
      assetId,
      marketHashName: asset.item.marketHashName,
      phase: asset.item.phase,
      wear: asset.wear,
      paintSeed: asset.paintSeed,
      tradable,
      marketable,
      protected: context === 'protected',
    })),
  }
}
