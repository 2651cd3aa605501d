import { createCatalogFeed } from './catalog-feed/index.ts'
import { createChains } from './chains/index.ts'
import { createChat } from './chat/index.ts'
import { createFx } from './fx/index.ts'
import { createGateway } from './gateway/index.ts'
import { createMail } from './mail/index.ts'
import { createMarkets } from './markets/index.ts'
import { createNoticeAddress } from './notices/index.ts'
import { createOnramp } from './onramp/index.ts'
import type { Party, PartyContext } from './party/party.ts'
import { createPictures } from './pictures/index.ts'
import { createPlatform } from './platform/index.ts'

/** Every party of the sandbox; the console shows their cards and tabs in this order. */
export function createParties(context: PartyContext): readonly Party[] {
  const markets = createMarkets(context)
  const notices = createNoticeAddress(context)
  return [
    createPlatform(context, markets.orders),
    markets.party,
    createCatalogFeed(context),
    createPictures(context),
    createFx(context),
    createChains(context),
    createMail(context),
    createChat(context),
    notices.party,
    createGateway(context, notices.address),
    createOnramp(context, notices.address),
  ]
}
