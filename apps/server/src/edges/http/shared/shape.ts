// Checks a request against its route's schemas. The validator that every request passes stops at the
// first problem; only a refused request pays for the list of them, and only one of modest size, because
// listing every problem of a hostile body is work that the sender gets for free.

import {
  IDEMPOTENCY_KEY_HEADER,
  MAX_VALIDATION_PROBLEMS,
  type ValidationProblem,
} from '@tradepost/contract'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { headerText, isPlain } from '#kernel/text'
import type { ReadBody } from './body.ts'
import { type Failure, invalid, unreadable } from './failure.ts'
import type { RouteShape } from './operation.ts'
import { pointerTo } from './pointer.ts'
import { problemsOf } from './shape-problems.ts'

export type Place = ValidationProblem['in']

/** The parts of one request, as they came. Defaults and numbers of the query are filled in here. */
export interface RequestParts {
  readonly params: Record<string, unknown>
  readonly query: Record<string, unknown>
  readonly headers: Record<string, unknown>
  /** The raw path and query, which show cheaply whether text needs a closer look. */
  readonly url: string
  readonly body: ReadBody | undefined
}

/** Null when the request has its route's shape. */
export type ShapeCheck = (parts: RequestParts) => Failure | null

type FormatCheck = (text: string) => boolean

/** Where a format has several spellings, its canonical one is what operations get. */
export type Formats = Readonly<
  Record<string, FormatCheck | { validate: FormatCheck; canonical(text: string): string }>
>

export interface ShapeCompiler {
  compile(route: RouteShape): ShapeCheck
}

/** Beyond these sizes only the first problem is named. */
const MAX_LISTED_BODY_BYTES = 16 * 1024
const MAX_LISTED_URL_LENGTH = 4096

export function createShapeCompiler(formats: Formats): ShapeCompiler {
  const options = { useDefaults: true, verbose: true, strictTypes: false, formats } as const
  const quick = new Ajv2020({ ...options, allErrors: false })
  const thorough = new Ajv2020({ ...options, allErrors: true })

  const part = (place: Place, schema: TSchema): Part => {
    const check = quick.compile(schema)
    let list: ValidateFunction | undefined
    return {
      check,
      problems(value, isModest) {
        if (check(value)) return []
        if (!isModest) return problemsOf(place, check.errors ?? [])
        list ??= thorough.compile(schema)
        list(value)
        return problemsOf(place, list.errors ?? (check.errors as ErrorObject[]))
      },
    }
  }

  return {
    compile(route) {
      const params = part('path', route.params ?? NOTHING)
      const query = part('query', route.query ?? NOTHING)
      const headers = route.headers ? part('header', route.headers) : null
      const body = part('body', route.body ?? NOTHING)
      const needsKey = requires(route.headers, IDEMPOTENCY_KEY_HEADER)
      const readQuery = queryReader(route.query)
      const spellBody = bodySpeller(route.body, formats)

      return (request) => {
        const key = request.headers[IDEMPOTENCY_KEY_HEADER]
        if (needsKey && !key) return NO_IDEMPOTENCY_KEY
        // Its length counts in characters, and it is shown again: from here on it is what was written.
        if (headers !== null && typeof key === 'string') {
          request.headers[IDEMPOTENCY_KEY_HEADER] = headerText(key)
        }
        readQuery(request.query)
        // No body at all is the empty object: then what is missing gets named.
        const bodyValue = request.body === undefined ? {} : request.body.value
        spellBody(bodyValue)
        if (
          params.check(request.params) &&
          query.check(request.query) &&
          (headers === null || headers.check(request.headers)) &&
          body.check(bodyValue)
        ) {
          return request.url.includes('%00') ? nulProblem(request) : null
        }
        const isShort = request.url.length <= MAX_LISTED_URL_LENGTH
        const isSmall = (request.body?.bytes.length ?? 0) <= MAX_LISTED_BODY_BYTES
        return invalid(
          [
            ...params.problems(request.params, isShort),
            ...query.problems(request.query, isShort),
            ...(headers?.problems(request.headers, true) ?? []),
            ...body.problems(bodyValue, isSmall),
          ].slice(0, MAX_VALIDATION_PROBLEMS),
          route.indexed,
        )
      }
    },
  }
}

interface Part {
  readonly check: ValidateFunction
  problems(value: unknown, isModest: boolean): ValidationProblem[]
}

/** The shape of a part that a route does not have. */
const NOTHING = { type: 'object', additionalProperties: false } as TSchema

const NO_IDEMPOTENCY_KEY = unreadable(400, 'The Idempotency-Key header is missing.')

interface ObjectSchema {
  readonly required?: readonly string[]
  readonly properties?: Readonly<
    Record<string, { readonly type?: unknown; readonly format?: unknown }>
  >
}

const requires = (schema: TSchema | undefined, name: string): boolean =>
  (schema as ObjectSchema | undefined)?.required?.includes(name) ?? false

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/
/** As long as a wear can be that we show; the exponent is how JSON and JavaScript print a small number. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,40})?(?:e-[1-9]\d?)?$/

/** In a query a plus sign that was not encoded is a space: before an offset it can be nothing else. */
const withPlus = (text: string): string => text.replace(/ (?=\d\d:\d\d$)/, '+')

/**
 * A query is text: where the schema says number or boolean, their one plain spelling becomes one. What is
 * spelt otherwise stays text and is refused by its type. Bodies are JSON: their values never become another
 * type.
 */
function queryReader(schema: TSchema | undefined): (query: Record<string, unknown>) => void {
  const readers: [string, (text: string) => unknown][] = []
  for (const [name, { type, format }] of Object.entries(
    (schema as ObjectSchema)?.properties ?? {},
  )) {
    if (format === 'date-time') readers.push([name, withPlus])
    if (type === 'integer')
      readers.push([name, (text) => (INTEGER.test(text) ? Number(text) : text)])
    if (type === 'number') readers.push([name, (text) => (NUMBER.test(text) ? Number(text) : text)])
    if (type === 'boolean') {
      readers.push([name, (text) => (text === 'true' ? true : text === 'false' ? false : text)])
    }
  }
  return (query) => {
    for (const [name, read] of readers) {
      const text = query[name]
      if (typeof text === 'string') query[name] = read(text)
    }
  }
}

/**
 * Fields of a body get the canonical spelling of their format before anything sees them, so that hashes of
 * requests, memories and what is stored know one.
 */
function bodySpeller(schema: TSchema | undefined, formats: Formats): (body: unknown) => void {
  const spellings: [string, (text: string) => string][] = []
  for (const [name, field] of Object.entries((schema as ObjectSchema)?.properties ?? {})) {
    const format = formats[String(field.format)]
    if (typeof format === 'object') spellings.push([name, format.canonical])
  }
  return (body) => {
    if (typeof body !== 'object' || body === null) return
    const fields = body as Record<string, unknown>
    for (const [name, spell] of spellings) {
      const text = fields[name]
      if (typeof text === 'string') fields[name] = spell(text)
    }
  }
}

function nulProblem({ params, query }: RequestParts): Failure | null {
  const problems: ValidationProblem[] = []
  for (const [place, values] of [
    ['path', params],
    ['query', query],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string' || isPlain(value)) continue
      const message = 'must not contain NUL'
      problems.push({ in: place, pointer: pointerTo('', name), rule: 'characters', message })
    }
  }
  return problems.length > 0 ? invalid(problems) : null
}
