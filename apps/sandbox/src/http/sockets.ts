import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

/** One WebSocket address of the sandbox. */
export interface SocketRoute {
  readonly path: string
  /** An HTTP status line's rest that refuses the upgrade, or null to let it in. */
  readonly refuse: (request: IncomingMessage) => string | null
  readonly accept: (socket: WebSocket, request: IncomingMessage) => void
}

/** A client that reads too slowly is disconnected, because its backlog would fill the memory. */
const MOST_BUFFERED_BYTES = 16 * 1024 * 1024

/** Serves WebSockets beside the HTTP routes of the same port. Returns a function that closes all of them. */
export function serveSockets(server: Server, routes: readonly SocketRoute[]): () => void {
  const webSockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A peer may disconnect during the handshake.
    socket.on('error', () => socket.destroy())
    const path = pathOf(request)
    const route = routes.find((candidate) => candidate.path === path)
    const refusal = route === undefined ? '404 Not Found' : route.refuse(request)
    if (route === undefined || refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate())
      route.accept(webSocket, request)
    })
  })

  return () => {
    for (const client of webSockets.clients) client.terminate()
    webSockets.close()
  }
}

function pathOf(request: IncomingMessage): string {
  const [path = '/'] = (request.url ?? '/').split('?')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

export function sendText(socket: WebSocket, text: string): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate()
  else socket.send(text)
}
