// The HTML of a captured mail, for a frame of the console. What is in a mail was written elsewhere: it runs
// no script, loads nothing, has no origin, and leads nowhere but to a tab of its own.
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
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

/** Its links open beside the console, as in a mail reader: no page may be in a frame here. */
const withOwnTabs = (html: string): string => {
  const base = '<base target="_blank">'
  return /<head[\s>]/i.test(html) ? html.replace(/<head[^>]*>/i, `$&${base}`) : base + html
}

export function serveMailBodies(app: FastifyInstance, mailbox: Mailbox): void {
  /** A mail as its reader sees it */
  app.get('/mail/:id/html', (request, reply) => {
    const { id } = request.params as { readonly id: string }
    const html = mailbox.find(Number(id))?.body.html ?? null
    if (html === null) throw new ControlFault(404, `There is no mail ${id} with HTML.`)
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': POLICY, ...PAGE_HEADERS })
      .send(withOwnTabs(html))
  })
}
