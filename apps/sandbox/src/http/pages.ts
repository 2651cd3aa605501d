// Pages that a party of the sandbox shows to a person. They work without scripts, by keyboard and with a
// screen reader, and their policy allows nothing that they do not need.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { LOOK_CSS } from './look.ts'

/** Of every page, beside the policy that is its own. */
export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** How long a page that leads on stays before it does. */
export const REDIRECT_SECONDS = 3

export interface Page {
  readonly title: string
  /** HTML. */
  readonly body: string
  /** Where its forms may be sent, as the policy names it; by default to the party itself. */
  readonly formActions?: string
  readonly redirectTo?: string
}

export interface Pages {
  /** Takes what forms send, each field as a text, and serves the style sheet. */
  serve(app: FastifyInstance): void
  send(reply: FastifyReply, page: Page): FastifyReply
}

/** Pages under one name; `style` is what they need beyond the style that all have. */
export function createPages({
  brand,
  stylesheet,
  style,
}: {
  readonly brand: string
  readonly stylesheet: string
  readonly style: string
}): Pages {
  return {
    serve(app) {
      app.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string' },
        (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
      )
      app.get(`/${stylesheet}`, (_request, reply) =>
        reply
          .type('text/css; charset=utf-8')
          .header('x-content-type-options', 'nosniff')
          .send(LOOK_CSS + STYLE + style),
      )
    },

    send: (reply, { title, body, formActions = "'self'", redirectTo }) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${formActions}; base-uri 'none'; frame-ancestors 'none'`,
          ...PAGE_HEADERS,
        })
        .send(`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  ${refreshOf(redirectTo)}
  <title>${escapeHtml(title)} · ${brand.toLowerCase()}</title>
  <link rel="stylesheet" href="${stylesheet}">
</head>
<body>
  <main>
    <p class="brand">${brand}</p>
    <h1>${escapeHtml(title)}</h1>
    ${body}
  </main>
</body>
</html>
`),
  }
}

const refreshOf = (url: string | undefined): string =>
  url === undefined
    ? ''
    : `<meta http-equiv="refresh" content="${REDIRECT_SECONDS}; url=${escapeHtml(url)}">`

const STYLE = `
:root { font: var(--size-prose) / var(--leading-prose) var(--sans); }
body { margin: 0; display: grid; min-height: 100vh; place-items: center; background: var(--paper); color: var(--ink); }
main { box-sizing: border-box; width: min(28rem, 100%); padding: var(--space-32); overflow-wrap: anywhere; }
.brand { margin: 0; font-size: var(--size-text); color: var(--ink-2); }
h1 { margin: 0 0 var(--space-24); font-size: var(--size-display); line-height: var(--leading-display); }
.note { font-size: var(--size-text); color: var(--ink-2); }
a { color: var(--accent); }
input, button { box-sizing: border-box; width: 100%; min-height: var(--height-touch); margin: var(--space-4) 0; font: inherit; border-radius: var(--radius); border: 1px solid var(--control); background: var(--paper); color: var(--ink); }
button { cursor: pointer; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`
