// A platform that is well when bots log in, and in no other answer.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const headersToPass = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'user-agent', 'cookie'].map((name) => [name, String(headers[name])]),
  )

/** Logs bots in as the platform does, and then sends nothing but this. */
export async function startFaulty(
  url: string,
  { status, body }: { readonly status: number; readonly body: string },
): Promise<{ readonly url: string; requests(): number; stop(): Promise<void> }> {
  let requests = 0
  const server: Server = createServer(async (request, reply) => {
    requests += 1
    if (!request.url?.includes('IAuthenticationService')) {
      reply.writeHead(status, { 'content-type': 'application/json', 'x-eresult': '1' }).end(body)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${url}${request.url}`, {
      method: 'POST',
      headers: headersToPass(request),
      body: Buffer.concat(chunks),
    })
    reply.writeHead(answer.status, { 'x-eresult': answer.headers.get('x-eresult') ?? '' })
    reply.end(Buffer.from(await answer.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
