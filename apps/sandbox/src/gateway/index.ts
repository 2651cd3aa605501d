import { parseNoticeFault } from '../notices/faults.ts'
import type { NoticeAddress } from '../notices/index.ts'
import { createNoticeSender, type NoticeDialect } from '../notices/sender.ts'
import { createFaultQueues } from '../party/fault-queues.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { announcementsOf } from './announce.ts'
import { serveGatewayControls } from './controls.ts'
import { createPaymentLists } from './lists.ts'
import { createGatewayOrders } from './orders.ts'
import { serveGateway } from './routes.ts'
import { QUEUES, queueOf } from './script.ts'
import { type GatewaySettings, readGatewaySettings } from './settings.ts'
import { sign } from './signature.ts'

/** A payment gateway for tokens: an order has an address, and what arrives there is the merchant’s. */
export function createGateway(context: PartyContext, address: NoticeAddress): Party {
  const { store, clock, seed, switches, stop } = context
  const settings = readGatewaySettings(context.environment)
  const orders = createGatewayOrders({ store, clock, seed, settings })
  const faults = createFaultQueues(store, 'gateway', {
    queues: QUEUES,
    queueOf: (word) => queueOf(word) ?? 'create',
  })
  const lists = createPaymentLists(store)
  const notices = createNoticeSender({
    store,
    clock,
    name: 'gateway_notice',
    address,
    dialect: noticeDialect(settings),
  })
  orders.subscribe((after, before) => {
    for (const { data, ...head } of announcementsOf(after, before)) {
      const body = { ...head, client_id: settings.clientId, data: JSON.stringify(data) }
      const fault = parseNoticeFault(faults.take('notice') ?? '')
      notices.send(`${head.bizStatus} ${after.prepayId}`, body, fault)
    }
  })
  return {
    protocols: [
      {
        prefix: '/gateway',
        switchId: 'gateway',
        routes: (app) => serveGateway(app, { clock, seed, settings, orders, faults, lists, stop }),
      },
    ],
    controls: (app) =>
      serveGatewayControls(app, { orders, faults, lists, notices, switches, nowMs: clock.nowMs }),
    state: () => ({
      gateway: {
        ...switches.of('gateway'),
        script: faults.all.list(),
        orders: orders.all().length,
        open: orders.all().filter(({ status }) => status === 'PENDING').length,
      },
    }),
    console: ['gateway/console/card.mjs', 'gateway/console/orders.mjs'],
    agenda: {
      runDue() {
        orders.runDue()
        notices.runDue()
      },
      nextDueMs: () => soonest(orders.nextDueMs(), notices.nextDueMs()),
    },
    close: notices.close,
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Received is what answers with the provider's own words; everything else is sent again. */
const noticeDialect = ({ secret }: GatewaySettings): NoticeDialect => ({
  path: '/inbound/gateway',
  retryAfterMs: [
    ...[15 * SECOND, 15 * SECOND, 30 * SECOND, 3 * MINUTE, 10 * MINUTE, 20 * MINUTE],
    ...[30 * MINUTE, 30 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 3 * HOUR, 3 * HOUR],
    ...[6 * HOUR, 6 * HOUR],
  ],
  sign(body, { nowMs, nonce }) {
    const timestamp = String(nowMs)
    return {
      'X-GatePay-Timestamp': timestamp,
      'X-GatePay-Nonce': nonce,
      'X-GatePay-Signature': sign(secret, { timestamp, nonce, body }),
    }
  },
  isReceived(status, body) {
    try {
      return (
        status === 200 && (JSON.parse(body) as { returnCode?: unknown }).returnCode === 'SUCCESS'
      )
    } catch {
      return false
    }
  },
})

function soonest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}
