import { parseNoticeFault } from '../notices/faults.ts'
import type { NoticeAddress } from '../notices/index.ts'
import { createNoticeSender, type NoticeDialect } from '../notices/sender.ts'
import { createFaultQueues } from '../party/fault-queues.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { serveCheckout } from './checkout.ts'
import { serveOnrampControls } from './controls.ts'
import { isUnderWay, isWaiting, STATUS } from './order.ts'
import { createOnrampOrders } from './orders.ts'
import { serveOnramp } from './routes.ts'
import { parseSentAmount, QUEUES, queueOf } from './script.ts'
import { type OnrampSettings, readOnrampSettings } from './settings.ts'
import { signedHeaders } from './signature.ts'
import { viewOrder } from './views.ts'

/** A card on-ramp: a person pays by card on its page, and it sends stable tokens to the merchant's wallet. */
export function createOnramp(context: PartyContext, address: NoticeAddress): Party {
  const { store, clock, seed, switches } = context
  const settings = readOnrampSettings(context.environment)
  const faults = createFaultQueues(store, 'onramp', {
    queues: QUEUES,
    queueOf: (word) => queueOf(word) ?? 'query',
  })
  const orders = createOnrampOrders({
    ...{ store, clock, seed, settings },
    wrongAmount: () => parseSentAmount(faults.take('payment') ?? ''),
  })
  const notices = createNoticeSender({
    store,
    clock,
    name: 'onramp_notice',
    address,
    dialect: noticeDialect(settings),
  })
  // The provider announces success only: everything else must be asked for.
  orders.subscribe((order) => {
    if (order.status !== STATUS.complete) return
    const fault = parseNoticeFault(faults.take('notice') ?? '')
    notices.send(`complete ${order.orderId}`, viewOrder(order), fault)
  })
  return {
    protocols: [
      {
        prefix: '/onramp',
        switchId: 'onramp',
        routes(app) {
          serveCheckout(app, { orders, settings, clock, seed })
          void app.register(async (scope) =>
            serveOnramp(scope, { clock, seed, settings, orders, faults }),
          )
        },
      },
    ],
    controls: (app) =>
      serveOnrampControls(app, { orders, faults, notices, switches, nowMs: clock.nowMs }),
    state: () => ({
      onramp: {
        ...switches.of('onramp'),
        script: faults.all.list(),
        orders: orders.all().length,
        open: orders.all().filter((order) => isWaiting(order) || isUnderWay(order)).length,
      },
    }),
    console: ['onramp/console/card.mjs', 'onramp/console/orders.mjs'],
    agenda: {
      runDue() {
        orders.runDue()
        notices.runDue()
      },
      nextDueMs() {
        const times = [orders.nextDueMs(), notices.nextDueMs()].filter((time) => time !== null)
        return times.length === 0 ? null : Math.min(...times)
      },
    },
    close: notices.close,
  }
}

const MINUTE = 60_000

const noticeDialect = ({ secret }: OnrampSettings): NoticeDialect => ({
  path: '/inbound/onramp',
  retryAfterMs: [10_000, MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE],
  sign: (body, { nowMs }) => signedHeaders(secret, { nowMs, body: JSON.parse(body) }),
  isReceived: (status) => status >= 200 && status < 300,
})
