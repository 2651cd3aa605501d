// For Express 4 and 5. Mount it before `express.json()`, or where no parser has read the body yet;
// `express.raw({ type: 'application/json' })` in front of it is fine.
import { answer, type NodeRequest, type NodeResponse, receiveStream } from './node.ts'
import { receive, type WebhookHandlerOptions } from './receive.ts'

interface ExpressRequest extends NodeRequest {
  body?: unknown
  readonly readableEnded: boolean
}

/** `app.post('/hook', expressWebhook({ secret, onEvent }))`. What `onEvent` throws goes to `next`. */
export function expressWebhook(
  options: WebhookHandlerOptions,
): (request: ExpressRequest, response: NodeResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    const received =
      request.body instanceof Uint8Array
        ? receive({ body: request.body, headers: request.headers }, options)
        : request.readableEnded
          ? Promise.reject(new TypeError(ALREADY_READ))
          : receiveStream(request, options)
    received.then((one) => answer(response, one)).catch(next)
  }
}

const ALREADY_READ =
  'The raw body is gone: mount expressWebhook before express.json(), or behind express.raw().'
