// A browser's call whose body is held back while something else happens.
import { type RawAnswer, sendRaw } from '../shared/testing/raw.ts'
import type { Browser } from './dashboard-server.ts'

/** The head and three bytes of the body, then `meanwhile`, then the rest. */
export function heldBack(
  url: string,
  { cookie, csrfToken }: Browser,
  call: {
    readonly method: string
    readonly path: string
    readonly body: object
    meanwhile(): Promise<void>
  },
): Promise<RawAnswer[]> {
  const { host, port } = new URL(url)
  const text = JSON.stringify(call.body)
  const head = [
    `${call.method} /dashboard/api/${call.path} HTTP/1.1`,
    ...[`host: ${host}`, `cookie: ${cookie}`, `x-csrf-token: ${csrfToken}`],
    ...['content-type: application/json', `content-length: ${text.length}`],
  ]
  const first = `${head.join('\r\n')}\r\n\r\n${text.slice(0, 3)}`
  return sendRaw(Number(port), [first, call.meanwhile, text.slice(3)])
}
