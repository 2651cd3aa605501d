// The consent page.
import type { FastifyReply } from 'fastify'
import { createPages, escapeHtml } from '../http/pages.ts'
import type { AuthorizationRequest } from './authorization.ts'

export const chatPages = createPages({
  brand: 'Chat',
  stylesheet: 'consent.css',
  style: `
label { display: block; margin: 1rem 0 .25rem; }
input, button { padding: 0 .75rem; }
`,
})

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
  return chatPages.send(reply, {
    title: 'Link your chat account',
    body,
    formActions: `'self' ${origin}`,
  })
}

export const sendProblemPage = (reply: FastifyReply, problem: string): FastifyReply =>
  chatPages.send(reply.code(400), {
    title: 'This cannot be linked',
    body: `<p role="alert">${escapeHtml(problem)}</p>`,
    formActions: "'none'",
  })
