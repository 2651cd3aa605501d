// For Hono, on every runtime it has.
import { fetchWebhook } from './fetch.ts'
import type { WebhookHandlerOptions } from './receive.ts'

interface Context {
  readonly req: { readonly raw: Request }
}

/** `app.post('/hook', honoWebhook({ secret, onEvent }))`. Let no middleware read the body before it. */
export function honoWebhook(
  options: WebhookHandlerOptions,
): (context: Context) => Promise<Response> {
  const handle = fetchWebhook(options)
  return ({ req }) => handle(req.raw)
}
