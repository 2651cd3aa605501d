// For everything that speaks `Request` and `Response`: Bun, Deno, Workers and other edges, Next.js.
import {
  collect,
  receive,
  TOO_LARGE,
  type WebhookAnswer,
  type WebhookHandlerOptions,
} from './receive.ts'

/** A handler of deliveries. It rejects with what `onEvent` threw. */
export function fetchWebhook(
  options: WebhookHandlerOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const announced = request.headers.get('content-length')
    const body = await collect(chunksOf(request.body), announced, options.maxBodyBytes)
    return responseOf(
      body === null ? TOO_LARGE : await receive({ body, headers: request.headers }, options),
    )
  }
}

// Read by hand: not every edge can iterate a stream.
async function* chunksOf(body: Request['body']): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value as Uint8Array
    }
  } finally {
    await reader.cancel()
  }
}

function responseOf({ status, body }: WebhookAnswer): Response {
  return body === ''
    ? new Response(null, { status })
    : new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
