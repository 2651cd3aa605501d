// The endpoints of many merchants in one process: most answer at once, some may be slow, silent or both by
// turns. Reports how old each event was when it arrived at those that are well.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

/** Of the one that is slow: longer than anybody likes, and within every deadline. */
const SLOW_MS = 3000

export interface Ills {
  /** Never answer. */
  readonly silent: number
  readonly slow: number
  /** Answer for half a second, and then nothing for longer than an attempt may take, again and again. */
  readonly alternating: number
}

/** The first endpoints are silent, the next slow, the next alternate; in one kind of round all are well. */
let ills: Ills = { silent: 0, slow: 0, alternating: 0 }
let isIll = false
const ALTERNATING_MS = 10_500
const ANSWERING_MS = 500
let ages: number[] = []
let awaited: { count: number; reached: () => void } | null = null

const server = createServer((request, response) => {
  const endpoint = Number(request.url?.split('/').at(-1))
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { silent, slow, alternating } = ills
    if (endpoint >= silent + slow + alternating) {
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString()) as { createdAt: string }
      ages.push(Date.now() - Date.parse(createdAt))
      if (awaited && ages.length >= awaited.count) awaited.reached()
    }
    if (!isIll || endpoint >= silent + slow + alternating) return void response.end('ok')
    if (endpoint < silent) return
    if (endpoint < silent + slow) setTimeout(() => response.end('ok'), SLOW_MS)
    else if (Date.now() % ALTERNATING_MS < ANSWERING_MS) response.end('ok')
  })
})

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, () => resolve((server.address() as AddressInfo).port))
    }),
  /** From now on; those that are ill in one kind of round are watched in neither. */
  begin: (round: { isIll: boolean; ills: Ills }): void => {
    isIll = round.isIll
    ills = round.ills
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
export type FanOutReceiverMethods = typeof methods

answerWith(methods)
