// Market B's answers to a cancel. Its documents know no such call: this is the manner in which a market of
// this family would answer it, and what the sandbox speaks.
import type { CancelAnswer } from '#ports/buying'
import { flagOf, own, servedOf, textOf } from '../shared/reader.ts'
import { detailOf, plain, type RawAnswer } from './purchase-answer.ts'

type Refusal = Extract<CancelAnswer, { kind: 'refused' }>['because']

const BY_TEXT: readonly (readonly [RegExp, Refusal])[] = [
  [/^too early to cancel/, 'too-soon'],
  [/^trade was sent already/, 'offer-out'],
  [/^trade (not found|is finished)/, 'other'],
]

/** What is not on the list is unknown: the order may be gone all the same. */
export function readCancelAnswer({
  status,
  body,
}: Pick<RawAnswer, 'status' | 'body'>): Exclude<CancelAnswer, { kind: 'not-sent' }> {
  const fields = servedOf({ status, body })
  if (fields === null) return { kind: 'unknown', detail: `status ${status}` }
  const success = flagOf(own(fields, 'success'))
  if (success === true) return { kind: 'canceled' }
  const text = plain(textOf(own(fields, 'msg')) ?? '')
  const because = BY_TEXT.find(([pattern]) => pattern.test(text))?.[1]
  if (success === null || because === undefined)
    return { kind: 'unknown', detail: detailOf(fields) }
  return { kind: 'refused', because, detail: detailOf(fields) }
}
