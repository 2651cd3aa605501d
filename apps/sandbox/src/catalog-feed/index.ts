import type { Party, PartyContext } from '../party/party.ts'
import { serveCatalogue } from './routes.ts'

export const createCatalogFeed = ({ keeper }: PartyContext): Party => ({
  protocols: [
    { prefix: '/catalog', routes: (app) => serveCatalogue(app, keeper.dataset.catalogue) },
  ],
})
