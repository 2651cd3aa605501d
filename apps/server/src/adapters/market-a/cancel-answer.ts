// Market A's answers to a cancel. Its documents know no such call: this is the manner in which a market of
// this family would answer it, and what the sandbox speaks.
import type { CancelAnswer } from '#ports/buying'
import { flagOf, own, servedOf, smallIntegerOf } from '../shared/reader.ts'
import { detailOf } from './purchase-answer.ts'

type Refusal = Extract<CancelAnswer, { kind: 'refused' }>['because']

const BY_CODE: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [40, 'other'],
  [41, 'too-soon'],
  [42, 'offer-out'],
  [43, 'other'],
])

/** What is not on the list is unknown: the order may be gone all the same. */
export function readCancelAnswer(
  status: number,
  body: unknown,
): Exclude<CancelAnswer, { kind: 'not-sent' }> {
  const fields = servedOf({ status, body })
  if (fields === null) return { kind: 'unknown', detail: `status ${status}` }
  const success = flagOf(own(fields, 'success'))
  if (success === true) return { kind: 'canceled' }
  const because = BY_CODE.get(smallIntegerOf(own(fields, 'code')) ?? -1)
  if (success === null || because === undefined)
    return { kind: 'unknown', detail: detailOf(fields) }
  return { kind: 'refused', because, detail: detailOf(fields) }
}
