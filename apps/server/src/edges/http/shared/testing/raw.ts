// Sends bytes to a port and reads what comes back, for requests that no client would make.
import { connect } from 'node:net'
import type { Envelope } from './server.ts'

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly json: Envelope
}

const DEADLINE_MS = 8000

/** A function holds back what follows it until it is done. */
type Part = string | Buffer | (() => Promise<unknown>)

/** Resolves with every answer that arrived before the server closed or the last expected one was whole. */
export function sendRaw(
  port: number,
  parts: readonly Part[],
  { expected = 1, end = false }: { expected?: number; end?: boolean } = {},
): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no whole answer within ${DEADLINE_MS} ms: ${JSON.stringify(text)}`))
    }, DEADLINE_MS)
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answersIn(text))
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (answersIn(text).length >= expected) finish()
    })
    socket.on('close', finish)
    // The server may cut a hostile connection while it still talks; what it said before counts.
    socket.on('error', () => {})
    const send = async (): Promise<void> => {
      for (const part of parts) {
        if (typeof part === 'function') await part()
        else socket.write(part)
      }
      if (end) socket.end()
    }
    send().catch((error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    })
  })
}

function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  for (;;) {
    const split = rest.indexOf('\r\n\r\n')
    if (split < 0) return answers
    const head = rest.slice(0, split)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const body = rest.slice(split + 4, split + 4 + length)
    if (body.length < length) return answers
    answers.push({
      head,
      status: Number(head.split(' ')[1]),
      json: length > 0 ? JSON.parse(body) : ({} as Envelope),
    })
    rest = rest.slice(split + 4 + length)
  }
}
