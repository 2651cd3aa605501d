// For Fastify 4 and 5, as a plugin. What is registered inside a plugin stays inside, so other routes keep
// their JSON parser.
import { collect, receive, TOO_LARGE, type WebhookHandlerOptions } from './receive.ts'

/** The part of a Fastify instance that is used. */
interface Instance {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    options: { bodyLimit?: number },
    parser: (
      request: Pick<Request, 'headers'>,
      payload: AsyncIterable<Uint8Array>,
    ) => Promise<unknown>,
  ): unknown
  post(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown
}

interface Request {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

interface Reply {
  code(status: number): Reply
  header(name: string, value: string): Reply
  send(body?: unknown): Reply
}

/** `app.register(fastifyWebhook, { path: '/hook', secret, onEvent })`. */
export async function fastifyWebhook(
  app: Instance,
  options: WebhookHandlerOptions & { readonly path: string },
): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', {}, ({ headers }, payload) =>
    collect(payload, String(headers['content-length']), options.maxBodyBytes),
  )
  app.post(options.path, async ({ body, headers }, reply) => {
    // The parser does not run for a request without a body.
    const raw = body === undefined ? '' : body
    const { status, body: answer } =
      raw === null ? TOO_LARGE : await receive({ body: raw as Uint8Array, headers }, options)
    reply.code(status)
    if (status === 413) reply.header('connection', 'close')
    return answer === ''
      ? reply.send()
      : reply.header('content-type', 'application/json').send(answer)
  })
}
