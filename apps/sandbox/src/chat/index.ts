import { readBody, readPartyChange } from '../control/body.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { createGrants } from './grants.ts'
import { serveChat } from './routes.ts'
import { readChatSettings } from './settings.ts'

/** A chat platform that people log in to and allow other sites to read their profile (OAuth 2.0). */
export function createChat({ clock, environment, switches }: PartyContext): Party {
  const settings = readChatSettings(environment)
  const grants = createGrants(clock.nowMs)
  return {
    protocols: [
      {
        prefix: '/chat',
        switchId: 'chat',
        routes: (app) => serveChat(app, { settings, grants }),
      },
    ],
    controls: (app) =>
      /** `online`, `latencyMs` */
      app.put('/chat', (request) =>
        switches.set('chat', readPartyChange(readBody(request.body, ['online', 'latencyMs']))),
      ),
    state: () => ({ chat: { ...switches.of('chat'), grants: grants.count() } }),
  }
}
