// A server that sends scripted responses, in order, and records the requests.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Reply = (response: ServerResponse) => void

export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly requests: ReceivedRequest[]
  /** Appends responses. A request without one receives 500 and no envelope. */
  script(...next: Reply[]): void
  /** Drops the responses that were not needed. */
  clear(): void
}

export async function startScripted(): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const replies: Reply[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      })
      const reply = replies.shift() ?? page(500, 'nothing is scripted')
      reply(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...next) => {
      replies.push(...next)
    },
    clear: () => {
      replies.length = 0
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export const REQUEST_ID = '0193f3f0-0000-7000-8000-000000000001'

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-request-id': REQUEST_ID,
      ...headers,
    })
    response.end(JSON.stringify(value))
  }

export const success = (data: unknown): Reply =>
  json(200, { requestId: REQUEST_ID, success: true, data })

export const refusal = (
  status: number,
  key: string,
  { meta, headers }: { readonly meta?: unknown; readonly headers?: Record<string, string> } = {},
): Reply => {
  const error = { code: 1, key, message: 'For people.', ...(meta === undefined ? {} : { meta }) }
  return json(status, { requestId: REQUEST_ID, success: false, error }, headers)
}

export const page =
  (status: number, text: string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text)
  }

/** The connection is closed without a response. */
export const cut: Reply = (response) => {
  response.destroy()
}

/** The connection is closed in the middle of the response. */
export const cutInside: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"requestId":"', () => response.destroy())
}

/** Never responds. */
export const silence: Reply = () => {}
