// Answers to bytes that are not HTTP, or too slow or too large to be read as such. No request object
// exists here, so the answer is written to the socket by hand.
import type { Socket } from 'node:net'
import type { RootLog } from '#infra/process/log'
import { failureText } from '#wire/envelope'
import { helpLink } from './edge.ts'
import { type UnreadableStatus, unreadable } from './failure.ts'

export interface ClientError extends Error {
  readonly code?: string
}

const REASONS: Partial<Record<UnreadableStatus, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

export const createClientErrorHandler =
  ({ log, newRequestId }: { log: RootLog; newRequestId(): string }) =>
  (error: ClientError, socket: Socket): void => {
    // The connection was reset, or an answer is under way: no further answer can be sent.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
      socket.destroy()
      return
    }
    const requestId = newRequestId()
    const status = statusOf(error.code)
    const failure = unreadable(status)
    log.info({ requestId, status, code: error.code }, 'bytes that are no request')
    const body = failureText(requestId, failure)
    socket.end(
      [
        `HTTP/1.1 ${status} ${REASONS[status]}`,
        'connection: close',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        `link: ${helpLink(failure.key)}`,
        'cache-control: no-store',
        'x-content-type-options: nosniff',
        `x-request-id: ${requestId}`,
        '',
        body,
      ].join('\r\n'),
      () => socket.destroySoon(),
    )
  }

function statusOf(code: string | undefined): UnreadableStatus {
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

// Node keeps the response that is being written here, and its own default handler reads it too.
const hasBegunToAnswer = (socket: Socket): boolean =>
  (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent ===
  true
