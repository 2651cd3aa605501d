// A merchant's end of a WebSocket: records its frames and its close code.
import type { WsTokenScope } from '@tradepost/contract'
import type { Client } from './client.ts'
import { until } from './until.ts'

export interface Frame {
  /** Of an event of an account. */
  readonly id?: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  readonly ts: number
}

export interface Socket {
  readonly frames: readonly Frame[]
  /** Sends a frame, which the service refuses. */
  say(text: string): void
  /** True when it was greeted, false when it was closed instead. */
  greeted(): Promise<boolean>
  /** The first frame that fits, whenever it came. */
  frame(what: string, fits: (frame: Frame) => boolean): Promise<Frame>
  /** How the other side ended it. */
  closed(): Promise<{ readonly code: number; readonly reason: string }>
  end(): Promise<void>
}

export const wsUrl = (
  baseUrl: string,
  path: '/market/live' | '/user/live',
  query: Readonly<Record<string, string>>,
): string => `${baseUrl.replace(/^http/, 'ws')}${path}?${new URLSearchParams(query)}`

export async function tokenOf(
  merchant: Client,
  scopes: readonly WsTokenScope[],
  behalf?: string,
): Promise<string> {
  const call = { body: { scopes }, ...(behalf === undefined ? {} : { behalf }) }
  return (await merchant.get('issueWsToken', call)).token
}

/** Opens a socket; it may be refused, which shows in `closed`. */
export function openSocket(url: string): Socket {
  const ws = new WebSocket(url)
  const frames: Frame[] = []
  let closing: { code: number; reason: string } | null = null
  ws.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(String(data)) as Frame)
  })
  ws.addEventListener('close', ({ code, reason }) => {
    closing = { code, reason }
  })
  ws.addEventListener('error', () => {})
  const closed = () => until('the socket is closed', () => closing)
  return {
    frames,
    say: (text) => ws.send(text),
    greeted: async () =>
      (await until('ready or closed', () =>
        frames.length > 0 ? 'ready' : closing && 'closed',
      )) === 'ready',
    frame: (what, fits) =>
      until(what, () => {
        const found = frames.find(fits)
        if (found === undefined && closing !== null) throw new Error(`closed: ${closing.code}`)
        return found
      }),
    closed,
    end: async () => {
      ws.close()
      await closed()
    },
  }
}

/** Opens a socket and waits until it is greeted. */
export async function openReady(url: string): Promise<Socket> {
  const socket = openSocket(url)
  await socket.frame('ready', ({ event }) => event.endsWith('.ready'))
  return socket
}
