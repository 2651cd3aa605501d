// For `node:http`. Only the parts of its types that are used are named, so that nothing of Node is imported.
import {
  collect,
  receive,
  TOO_LARGE,
  type WebhookAnswer,
  type WebhookHandlerOptions,
} from './receive.ts'

export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

/**
 * A listener for `createServer`, or for one path of your server. It never rejects: what `onEvent` throws is
 * answered with 500 and passed to `onError`.
 */
export function nodeWebhook(
  options: WebhookHandlerOptions & { readonly onError: (error: unknown) => void },
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    try {
      answer(response, await receiveStream(request, options))
    } catch (error) {
      if (!response.headersSent) answer(response, { status: 500, body: '' })
      options.onError(error)
    }
  }
}

export async function receiveStream(
  request: NodeRequest,
  options: WebhookHandlerOptions,
): Promise<WebhookAnswer> {
  const announced = request.headers['content-length']
  const body = await collect(
    request as AsyncIterable<Uint8Array>,
    announced === undefined ? null : String(announced),
    options.maxBodyBytes,
  )
  return body === null ? TOO_LARGE : receive({ body, headers: request.headers }, options)
}

export function answer(
  response: NodeResponse,
  { status, body }: { readonly status: number; readonly body: string },
): void {
  // The rest of an unread body would be taken for the next request.
  const headers = status === 413 ? { connection: 'close' } : {}
  response.writeHead(
    status,
    body === '' ? headers : { ...headers, 'content-type': 'application/json' },
  )
  response.end(body)
}
