import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface ReceivedNotice {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Stands for the service: keeps the notices that arrive, and answers as it is set to. */
export interface NoticeReceiver {
  readonly url: string
  readonly received: readonly ReceivedNotice[]
  answer: { status: number; body: string }
  /** Resolves when so many have arrived in all. */
  count(many: number): Promise<void>
}

const DEADLINE_MS = 5_000

export async function startNoticeReceiver(t: TestContext): Promise<NoticeReceiver> {
  const received: ReceivedNotice[] = []
  let wake = (): void => {}
  const receiver = { answer: { status: 200, body: '{"returnCode":"SUCCESS","returnMessage":""}' } }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      received.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(receiver.answer.status).end(receiver.answer.body)
      wake()
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async count(many: number) {
      const deadline = AbortSignal.timeout(DEADLINE_MS)
      while (received.length < many) {
        await new Promise<void>((resolve, reject) => {
          wake = resolve
          const late = (): void => reject(new Error(`${received.length} of ${many} notices came`))
          deadline.addEventListener('abort', late, { once: true })
        })
      }
    },
  })
}
