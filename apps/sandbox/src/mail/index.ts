import type { Party, PartyContext } from '../party/party.ts'
import { integerSetting } from '../settings.ts'
import { serveMailBodies } from './html.ts'
import { createMailbox } from './mailbox.ts'
import { createSmtp } from './smtp.ts'

/** Captures the e-mail that the service sends to people. */
export function createMail({ store, clock, environment }: PartyContext): Party {
  const mailbox = createMailbox(store)
  const port = integerSetting(environment, 'SANDBOX_SMTP_PORT', { fallback: 0, most: 65_535 })
  const smtp = createSmtp(port, (body) => {
    mailbox.receive({ receivedAt: new Date(clock.nowMs()).toISOString(), body })
  })
  return {
    protocols: [],
    controls: (app) => {
      /** Captured mail */
      app.get('/mail', () => ({ items: mailbox.list() }))
      /** Address of the mail server */
      app.get('/mail/server', () => smtp.address())
      serveMailBodies(app, mailbox)
    },
    state: () => ({ mail: mailbox.list().length }),
    console: ['mail/console/mail.mjs'],
    close: smtp.close,
  }
}
