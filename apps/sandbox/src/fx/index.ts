import type { Party, PartyContext } from '../party/party.ts'
import { serveRates } from './routes.ts'

export const createFx = ({ clock, seed }: PartyContext): Party => ({
  protocols: [{ prefix: '/fx', routes: (app) => serveRates(app, { clock, seed }) }],
})
