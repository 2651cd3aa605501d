// The validator's findings in the contract's words. They name places and rules, never the refused value.
import type { ValidationProblem } from '@tradepost/contract'
import type { ErrorObject } from 'ajv'
import { pointerTo } from './pointer.ts'

export function problemsOf(
  place: ValidationProblem['in'],
  errors: readonly ErrorObject[],
): ValidationProblem[] {
  const composites = errors.filter((error) => COMPOSITES.has(error.keyword))
  const seen = new Set<string>()
  const problems: ValidationProblem[] = []
  for (const error of errors) {
    if (composites.some((composite) => isBranchOf(error, composite))) continue
    const problem = problemOf(place, error)
    const mark = `${problem.pointer} ${problem.rule}`
    if (seen.has(mark)) continue
    seen.add(mark)
    problems.push(problem)
  }
  return problems
}

const COMPOSITES = new Set(['anyOf', 'oneOf'])

/** What each alternative lacked says nothing; that none fitted is said by the composite itself. */
const isBranchOf = (error: ErrorObject, composite: ErrorObject): boolean =>
  error !== composite &&
  error.schemaPath.startsWith(`${composite.schemaPath}/`) &&
  error.instancePath.startsWith(composite.instancePath)

function problemOf(place: ValidationProblem['in'], error: ErrorObject): ValidationProblem {
  const pointer = error.instancePath
  const say = (rule: string, message: string, at = pointer): ValidationProblem => ({
    in: place,
    pointer: at,
    rule,
    message,
  })
  const params = error.params as Readonly<Record<string, unknown>>
  const limit = String(params.limit)
  switch (error.keyword) {
    case 'required':
      return say('required', 'is required', pointerTo(pointer, String(params.missingProperty)))
    case 'additionalProperties':
      return say(
        'additionalProperties',
        place === 'query' ? 'is not a known parameter' : 'is not a known field',
        pointerTo(pointer, String(params.additionalProperty)),
      )
    case 'type':
      return place === 'query' && Array.isArray(error.data)
        ? say('repeated', 'must be given once')
        : say('type', `must be of type ${[params.type].flat().join(' or ')}${formHint(error)}`)
    case 'enum':
      return say('enum', `must be one of: ${listed(params.allowedValues)}`)
    case 'const':
      return say('const', `must be ${JSON.stringify(params.allowedValue)}`)
    case 'format':
      return params.format === 'date-time'
        ? say('format', timeHint(error.data))
        : say('format', `must be a valid ${String(params.format)}${formHint(error)}`)
    case 'pattern':
      return say(
        'pattern',
        exampleOf(error) === null ? 'has the wrong format' : `must look like ${exampleOf(error)}`,
      )
    case 'minLength':
      return say(error.keyword, `must have at least ${countOf(params.limit, 'character')}`)
    case 'maxLength':
      return say(error.keyword, `must have at most ${countOf(params.limit, 'character')}`)
    case 'minItems':
      return say(error.keyword, `must contain at least ${countOf(params.limit, 'element')}`)
    case 'maxItems':
      return say(error.keyword, `must contain at most ${countOf(params.limit, 'element')}`)
    case 'minProperties':
      return say(error.keyword, `must contain at least ${countOf(params.limit, 'field')}`)
    case 'maxProperties':
      return say(error.keyword, `must contain at most ${countOf(params.limit, 'field')}`)
    case 'uniqueItems':
      return say('uniqueItems', 'must not repeat an element')
    case 'minimum':
      return say('minimum', `must be at least ${limit}`)
    case 'maximum':
      return say('maximum', `must be at most ${limit}`)
    case 'exclusiveMinimum':
      return say(error.keyword, `must be more than ${limit}`)
    case 'exclusiveMaximum':
      return say(error.keyword, `must be less than ${limit}`)
    case 'oneOf':
    case 'anyOf':
      return say(...alternatives(error))
    default:
      return say(error.keyword, 'is not allowed')
  }
}

interface Alternative {
  readonly required?: readonly string[]
  readonly const?: unknown
}

/** `oneOf: [{required: [a]}, {required: [b]}]` is how a schema says "exactly one of a and b". */
function alternatives(error: ErrorObject): [rule: string, message: string] {
  const schemas = (error.parentSchema?.[error.keyword] ?? []) as readonly Alternative[]
  const names = schemas.map((schema) => schema.required?.join(' with '))
  if (names.every((name) => name !== undefined)) {
    return error.keyword === 'oneOf'
      ? ['exactlyOneOf', `must have exactly one of: ${names.join(', ')}`]
      : ['atLeastOneOf', `must have at least one of: ${names.join(', ')}`]
  }
  if (schemas.every((schema) => 'const' in schema)) {
    return ['enum', `must be one of: ${listed(schemas.map((schema) => schema.const))}`]
  }
  return [error.keyword, 'matches none of the documented forms']
}

const countOf = (limit: unknown, one: string): string =>
  `${String(limit)} ${one}${limit === 1 ? '' : 's'}`

/** The schema's own example: an amount sent as a number is answered with how an amount is written. */
function exampleOf({ parentSchema }: ErrorObject): string | null {
  const [example] = (parentSchema?.examples ?? []) as readonly unknown[]
  return typeof example === 'string' ? JSON.stringify(example) : null
}

const formHint = (error: ErrorObject): string =>
  exampleOf(error) === null ? '' : `, such as ${exampleOf(error)}`

function timeHint(data: unknown): string {
  const isDate = typeof data === 'string' && /^\d{4}-\d\d-\d\d$/.test(data)
  return `must be a time such as 2026-11-01T00:00:00Z${isDate ? ', not a date alone' : ''}`
}

const listed = (values: unknown): string => (values as readonly unknown[]).map(String).join(', ')
