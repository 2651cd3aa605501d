// What an answer means to a client that goes on while processes and databases fail.
import assert from 'node:assert/strict'
import type { Answer } from './client.ts'

/** Throws where the answer is a failure. */
export function dataOf<Data>(answer: Answer<Data>): Data {
  if (answer.data === null) throw new Error(failureOf(answer))
  return answer.data
}

/**
 * Its key. INTERNAL_ERROR with a pause is a database that was lost in the middle of the request, which may
 * have taken effect; without one it is a fault of ours, and fails the run.
 */
export function failureOf({ error, headers, requestId }: Answer<unknown>): string {
  if (error?.key !== 'INTERNAL_ERROR') return error?.key ?? 'no key'
  assert.ok(headers.get('retry-after') !== null, `INTERNAL_ERROR of request ${requestId}`)
  return DATABASE_LOST
}
export const DATABASE_LOST = 'INTERNAL_ERROR, database lost'

/** The request reached a process that was suspended: it did not arrive in time, and was not read. */
export const wasNotRead = ({ status }: Answer<unknown>): boolean => status === 408
