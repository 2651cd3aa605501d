import { createCatalogFeed } from './catalog-feed/index.ts'
import { createChains } from './chains/index.ts'
import { createFx } from './fx/index.ts'
import { createMail } from './mail/index.ts'
import { createMarkets } from './markets/index.ts'
import type { Party, PartyContext } from './party/party.ts'
import { createPlatform } from './platform/index.ts'

/** Every party of the sandbox; the console shows their cards and tabs in this order. */
export function createParties(context: PartyContext): readonly Party[] {
  const markets = createMarkets(context)
  return [
    createPlatform(context, markets.orders),
    markets.party,
    createCatalogFeed(context),
    createFx(context),
    createChains(context),
    createMail(context),
  ]
}
