// A service that answers what it is told to, in order, and remembers what it was asked.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Say = (response: ServerResponse) => void

export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly asked: Asked[]
  /** Appends answers. A request that finds none is refused with 500 and no envelope. */
  script(...next: Say[]): void
}

export async function startScripted(): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const answers: Say[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      })
      const say = answers.shift() ?? page(500, 'nothing is scripted')
      say(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    script: (...next) => {
      answers.push(...next)
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
  (status: number, value: unknown, headers: Record<string, string> = {}): Say =>
  (response) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-request-id': REQUEST_ID,
      ...headers,
    })
    response.end(JSON.stringify(value))
  }

export const success = (data: unknown): Say =>
  json(200, { requestId: REQUEST_ID, success: true, data })

export const refusal = (
  status: number,
  key: string,
  { meta, headers }: { readonly meta?: unknown; readonly headers?: Record<string, string> } = {},
): Say => {
  const error = { code: 1, key, message: 'For people.', ...(meta === undefined ? {} : { meta }) }
  return json(status, { requestId: REQUEST_ID, success: false, error }, headers)
}

export const page =
  (status: number, text: string, headers: Record<string, string> = {}): Say =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text)
  }

/** The connection goes away without an answer. */
export const cut: Say = (response) => {
  response.destroy()
}

/** The connection goes away in the middle of the answer. */
export const cutInside: Say = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"requestId":"', () => response.destroy())
}

/** No answer ever. */
export const silence: Say = () => {}
