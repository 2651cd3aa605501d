// The endpoints of many merchants in one process: most answer at once, one may be slow and one may never
// answer. Reports how old each event was when it arrived at those that are well.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

/** Of the one that is slow: longer than anybody likes, and within every deadline. */
const SLOW_MS = 3000

let ill: { readonly silent: number; readonly slow: number } | null = null
let watched: (endpoint: number) => boolean = () => true
let ages: number[] = []
let awaited: { count: number; reached: () => void } | null = null

const server = createServer((request, response) => {
  const endpoint = Number(request.url?.split('/').at(-1))
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (watched(endpoint)) {
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString()) as { createdAt: string }
      ages.push(Date.now() - Date.parse(createdAt))
      if (awaited && ages.length >= awaited.count) awaited.reached()
    }
    if (ill?.silent === endpoint) return
    if (ill?.slow === endpoint) setTimeout(() => response.end('ok'), SLOW_MS)
    else response.end('ok')
  })
})

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  /** From now on; the two that are ill in one kind of round are watched in neither. */
  begin: (round: { isIll: boolean; silent: number; slow: number }): void => {
    const { isIll, silent, slow } = round
    ill = isIll ? { silent, slow } : null
    watched = (endpoint) => endpoint !== silent && endpoint !== slow
    ages = []
    awaited = null
  },
  /** In milliseconds, rising, once so many events have come. */
  ages: (count: number): Promise<number[]> =>
    new Promise((resolve) => {
      const answer = (): void => resolve(ages.toSorted((left, right) => left - right))
      awaited = { count, reached: answer }
      if (ages.length >= count) answer()
    }),
}
export type FanOutSinkMethods = typeof methods

answerWith(methods)
