// The platform, as far as it shows inventories: the same page for every account, as quickly as can be.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

let page = Buffer.alloc(0)

const server = createServer((request, response) => {
  request.resume()
  const isInventory = request.url?.startsWith('/platform/inventory/') ?? false
  response.writeHead(isInventory ? 200 : 503, {
    'content-type': 'application/json',
    'content-length': String(isInventory ? page.length : 0),
  })
  response.end(isInventory ? page : undefined)
})

const methods = {
  listen: (text: string): Promise<number> => {
    page = Buffer.from(text)
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  },
}
export type InventoryMethods = typeof methods

answerWith(methods)
