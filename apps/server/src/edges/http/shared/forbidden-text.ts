// Text that is legal JSON and that nothing behind the edge should ever meet: NUL, which PostgreSQL cannot
// store; lone surrogates, which become U+FFFD on the way and make two references one; and the key
// `__proto__`, which an assignment would take for the prototype.
import type { ValidationProblem } from '@tradepost/contract'
import { isPlain } from '#kernel/text'
import { pointerTo } from './pointer.ts'

/**
 * Looks through a parsed body of bounded depth. In valid UTF-8 the characters can only come from escapes,
 * so a text without any needs no walk.
 */
export function findForbiddenText(value: unknown, text: string): ValidationProblem | null {
  if (!text.includes('\\u') && !text.includes('__proto__')) return null
  return walk(value, '')
}

function walk(value: unknown, pointer: string): ValidationProblem | null {
  if (typeof value === 'string') return isPlain(value) ? null : problem('characters', pointer)
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (const [i, element] of value.entries()) {
      const found = walk(element, `${pointer}/${i}`)
      if (found) return found
    }
    return null
  }
  for (const [name, field] of Object.entries(value)) {
    if (name === '__proto__') return problem('additionalProperties', pointerTo(pointer, name))
    if (!isPlain(name)) return problem('characters', pointer)
    const found = walk(field, pointerTo(pointer, name))
    if (found) return found
  }
  return null
}

const problem = (
  rule: 'characters' | 'additionalProperties',
  pointer: string,
): ValidationProblem => ({
  in: 'body',
  pointer,
  rule,
  message:
    rule === 'characters'
      ? 'must not contain NUL or half of a surrogate pair'
      : 'is not a known field',
})
