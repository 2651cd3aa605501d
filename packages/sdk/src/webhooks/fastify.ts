// For Fastify 4 and 5, as a plugin. What is registered inside a plugin stays inside, so other routes keep
// their JSON parser.
import { MAX_BODY_BYTES, receive, type WebhookHandlerOptions } from './receive.ts'

/** The part of a Fastify instance that is used. */
interface Instance {
  // biome-ignore lint/suspicious/noExplicitAny: Fastify's own overloads cannot be named without importing them
  addContentTypeParser(type: any, options: any, parser?: any): any
  removeAllContentTypeParsers(): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  post(path: string, options: any, handler: any): any
}

interface Request {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

interface Reply {
  code(status: number): Reply
  type(type: string): Reply
  send(body?: unknown): Reply
}

/** `app.register(fastifyWebhook, { path: '/hook', secret, onEvent })`. */
export async function fastifyWebhook(
  app: Instance,
  options: WebhookHandlerOptions & { readonly path: string },
): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    (_: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body),
  )
  app.post(
    options.path,
    { bodyLimit: options.maxBodyBytes ?? MAX_BODY_BYTES },
    async ({ body, headers }: Request, reply: Reply): Promise<Reply> => {
      const raw = body instanceof Uint8Array ? body : ''
      const { status, body: answer } = await receive({ body: raw, headers }, options)
      reply.code(status)
      return answer === '' ? reply.send() : reply.type('application/json').send(answer)
    },
  )
}
