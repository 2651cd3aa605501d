// The header that names the sub-user of a call.
import type { IncomingHttpHeaders } from 'node:http'
import { ON_BEHALF_OF_HEADER, TEXT_PATTERN, type ValidationProblem } from '@tradepost/contract'
import { headerText } from '#kernel/text'

const MAX_LENGTH = 128
const TEXT = new RegExp(TEXT_PATTERN, 'u')

export type Reference =
  | { readonly kind: 'none' }
  | { readonly kind: 'given'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problem: ValidationProblem }

const NONE: Reference = { kind: 'none' }

export function readOnBehalfOf(headers: IncomingHttpHeaders): Reference {
  const raw = headers[ON_BEHALF_OF_HEADER]
  if (raw === undefined) return NONE
  const text = headerText(String(raw))
  if (text === '') return problem('minLength', 'must not be empty')
  // Counted in characters, as the externalId that it may be.
  if (text.length > MAX_LENGTH && [...text].length > MAX_LENGTH) {
    return problem('maxLength', `must have at most ${MAX_LENGTH} characters`)
  }
  if (!TEXT.test(text)) return problem('pattern', 'must not contain control characters')
  return { kind: 'given', text }
}

const problem = (rule: string, message: string): Reference => ({
  kind: 'invalid',
  problem: { in: 'header', pointer: `/${ON_BEHALF_OF_HEADER}`, rule, message },
})
