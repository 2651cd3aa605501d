// The consent page. It works without scripts, by keyboard and with a screen reader.
import type { FastifyReply } from 'fastify'
import type { AuthorizationRequest } from './authorization.ts'

export function sendConsentPage(reply: FastifyReply, asked: AuthorizationRequest): FastifyReply {
  const { origin } = new URL(asked.redirectUri)
  const hidden: Readonly<Record<string, string>> = {
    ...{ client_id: asked.clientId, redirect_uri: asked.redirectUri, response_type: 'code' },
    ...{ scope: asked.scope, state: asked.state },
    ...{ code_challenge: asked.codeChallenge, code_challenge_method: 'S256' },
  }
  const body = `
    <p><strong>${escapeHtml(origin)}</strong> asks to read your name and your picture. It cannot read or send messages.</p>
    <form method="post" action="authorize">
      ${Object.entries(hidden)
        .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
        .join('\n      ')}
      <label for="username">Your account here</label>
      <input id="username" name="username" value="sandbox" maxlength="32" autocomplete="off" required>
      <p class="note">This is a sandbox: each name is an account.</p>
      <button class="primary" name="choice" value="allow">Allow</button>
      <button name="choice" value="deny">Deny</button>
    </form>`
  // The answer to the form leads to the client, which the policy of the form has to name.
  return sendPage(reply, { title: 'Link your chat account', body, formActions: `'self' ${origin}` })
}

export const sendProblemPage = (reply: FastifyReply, problem: string): FastifyReply =>
  sendPage(reply.code(400), {
    title: 'This cannot be linked',
    body: `<p role="alert">${escapeHtml(problem)}</p>`,
    formActions: "'none'",
  })

interface Page {
  readonly title: string
  readonly body: string
  readonly formActions: string
}

const sendPage = (reply: FastifyReply, { title, body, formActions }: Page): FastifyReply =>
  reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${formActions}; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)} · chat</title>
  <link rel="stylesheet" href="consent.css">
</head>
<body>
  <main>
    <p class="brand">Chat</p>
    <h1>${escapeHtml(title)}</h1>
    ${body}
  </main>
</body>
</html>
`)

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const CHAT_STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; min-height: 100vh; place-items: center; background: Canvas; color: CanvasText; }
main { box-sizing: border-box; width: min(28rem, 100%); padding: 2rem; overflow-wrap: anywhere; }
.brand { margin: 0; font-size: .875rem; letter-spacing: .04em; opacity: .75; }
h1 { margin: 0 0 1.5rem; font-size: 1.75rem; }
.note { font-size: .875rem; opacity: .85; }
label { display: block; margin: 1rem 0 .25rem; }
input, button { box-sizing: border-box; width: 100%; min-height: 2.75rem; margin: .25rem 0; padding: 0 .75rem; font: inherit; border-radius: .5rem; border: 1px solid color-mix(in srgb, CanvasText 45%, transparent); background: Canvas; color: CanvasText; }
button { cursor: pointer; }
button.primary { background: #0b5cad; border-color: #0b5cad; color: #fff; font-weight: 600; }
button:focus-visible, input:focus-visible { outline: 3px solid #f0a202; outline-offset: 2px; }
`
