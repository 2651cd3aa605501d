import { requireLocalCaller } from '../http/local-only.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { createMailbox } from './mailbox.ts'

/** Captures the e-mail that the service would send to people. */
export function createMail({ store, clock }: PartyContext): Party {
  const mailbox = createMailbox(store)
  return {
    protocols: [
      {
        prefix: '/mail',
        routes(app) {
          requireLocalCaller(app)
          app.post('/', (request, reply) => {
            const receivedAt = new Date(clock.nowMs()).toISOString()
            mailbox.receive({ receivedAt, body: request.body })
            return reply.code(202).send({ received: true })
          })
        },
      },
    ],
    controls: (app) => void app.get('/mail', () => ({ items: mailbox.list() })),
    state: () => ({ mail: mailbox.list().length }),
    console: ['mail/console/mail.mjs'],
  }
}
