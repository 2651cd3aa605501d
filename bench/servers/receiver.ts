// A merchant's endpoint: reads what is posted, says 200, and counts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

let posts = 0
let awaited: { count: number; reached: () => void } | null = null

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    posts++
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '15' })
    response.end('{"received":1}\n')
    if (awaited && posts >= awaited.count) awaited.reached()
  })
})

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  reset: (): void => {
    posts = 0
    awaited = null
  },
  /** Ends when so many posts have come since the reset. */
  waitFor: (count: number): Promise<void> =>
    new Promise((resolve) => {
      awaited = { count, reached: resolve }
      if (posts >= count) resolve()
    }),
  posts: (): number => posts,
}
export type ReceiverMethods = typeof methods

answerWith(methods)
