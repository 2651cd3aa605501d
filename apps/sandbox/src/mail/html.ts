// The HTML of a captured mail, for a frame of the console. What is in a mail was written elsewhere: it runs
// no script, loads nothing, has no origin, and leads nowhere.
import type { FastifyInstance } from 'fastify'
import { ControlFault } from '../control/body.ts'
import { PAGE_HEADERS } from '../http/pages.ts'
import type { Mailbox } from './mailbox.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ')

export function serveMailBodies(app: FastifyInstance, mailbox: Mailbox): void {
  /** A mail as its reader sees it */
  app.get('/mail/:id/html', (request, reply) => {
    const { id } = request.params as { readonly id: string }
    const html = mailbox.find(Number(id))?.body.html ?? null
    if (html === null) throw new ControlFault(404, `There is no mail ${id} with HTML.`)
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': POLICY, ...PAGE_HEADERS })
      .send(html)
  })
}
