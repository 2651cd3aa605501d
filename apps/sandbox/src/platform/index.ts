import { createCallLimit } from '../http/call-limit.ts'
import type { Orders } from '../markets/orders.ts'
import { createFaultQueues } from '../party/fault-queues.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { createBotAccounts } from './bots/accounts.ts'
import { createConfirmations } from './bots/confirmations.ts'
import { createHandovers } from './bots/handovers.ts'
import { createBotOffers } from './bots/offers.ts'
import { servePlatformControls } from './controls.ts'
import { createInventories } from './inventories.ts'
import { serveOfferControls } from './offer-controls.ts'
import { createPrivacy } from './privacy.ts'
import { servePlatform } from './routes.ts'
import { queueOf, SCRIPT_QUEUES } from './script.ts'
import { readPlatformSettings } from './settings.ts'

/** The game platform: its community site, its Web API, and the inventories of all accounts. */
export function createPlatform(context: PartyContext, orders: Orders): Party {
  const { clock, seed, store, keeper, holdMs, switches, stop } = context
  const { botCount, readsPerMinute, demandsHeaders } = readPlatformSettings(context.environment)
  const bots = createBotAccounts({ count: botCount, seed, store, clock })
  const handovers = createHandovers()
  const inventories = createInventories({
    orders,
    keeper,
    store,
    handovers,
    isBot: (platformId) => bots.find(platformId) !== undefined,
  })
  const faults = createFaultQueues(store, 'platform', { queues: SCRIPT_QUEUES, queueOf })
  const botOffers = createBotOffers({
    ...{ clock, seed, store, holdMs, inventories, handovers },
    takeTradeFault: () => faults.take('trade'),
  })
  const deps = {
    inventories,
    switches,
    bots,
    botOffers,
    script: faults.all,
    faults,
    demandsHeaders,
    stop,
    privacy: createPrivacy(store),
    confirmations: createConfirmations({ accounts: bots, offers: botOffers, clock }),
    reads: { limit: createCallLimit(clock, 60_000), perMinute: readsPerMinute, refusals: 0 },
  }
  return {
    protocols: [
      { prefix: '/platform', switchId: 'platform', routes: (app) => servePlatform(app, deps) },
    ],
    controls(app) {
      servePlatformControls(app, deps)
      serveOfferControls(app, { orders, botOffers })
    },
    state: () => ({ platform: { ...switches.of('platform'), script: faults.all.list() } }),
    console: [
      'platform/console/card.mjs',
      'platform/console/offers.mjs',
      'platform/console/inventory.mjs',
    ],
    agenda: botOffers,
  }
}
