// Headers that are given once. Of two values a proxy in front of us may have taken the other one.
import type { IncomingMessage } from 'node:http'
import { API_KEY_HEADER, IDEMPOTENCY_KEY_HEADER, ON_BEHALF_OF_HEADER } from '@tradepost/contract'
import { PlainRefusal, unreadable } from './failure.ts'

const KEY_HEADERS = [API_KEY_HEADER, 'x-api-key'] as const

/** The same key given twice is one key. Refuses two. */
export function refuseTwoKeys(request: IncomingMessage): void {
  for (const name of KEY_HEADERS) readOnce(request, name, true)
}

/** Of what the request is for. A reference given twice is one; an idempotency key is given once. */
export function refuseTwoReferences(request: IncomingMessage): void {
  readOnce(request, ON_BEHALF_OF_HEADER, true)
  readOnce(request, IDEMPOTENCY_KEY_HEADER, false)
}

/** Node joins repeated headers with a comma: only a value with one is looked at again. */
function readOnce(request: IncomingMessage, name: string, mayRepeat: boolean): void {
  const joined = request.headers[name]
  if (typeof joined !== 'string' || !joined.includes(',')) return
  const values = request.headersDistinct[name] ?? []
  if (values.length < 2) return
  const [first = ''] = values
  if (!mayRepeat || values.some((value) => value !== first)) {
    throw new PlainRefusal(unreadable(400, `The header ${name} is given more than once.`))
  }
  request.headers[name] = first
}
