// What is around every answer.
import { type Static, type TSchema, Type } from 'typebox'
import { describe, stringEnum } from './schema.ts'

const RequestId = Type.String({
  format: 'uuid',
  description: 'Names the request in the service’s logs; also in the x-request-id header.',
})

/** Where in a request a refused field was. */
export const ValidationPlace = stringEnum(['body', 'query', 'path', 'header'])

export const ValidationProblem = Type.Object(
  {
    in: ValidationPlace,
    pointer: Type.String({
      description: 'RFC 6901, from the top of that part.',
      examples: ['/items/0/maxPrice'],
    }),
    rule: Type.String({ examples: ['pattern'] }),
    message: Type.String(),
  },
  { title: 'ValidationProblem' },
)
export type ValidationProblem = Static<typeof ValidationProblem>

export const MAX_VALIDATION_PROBLEMS = 20

/** `meta` of VALIDATION_FAILED. It never repeats a refused value. */
export const ValidationMeta = Type.Object(
  {
    errors: Type.Array(ValidationProblem, { maxItems: MAX_VALIDATION_PROBLEMS }),
    index: Type.Optional(Type.Integer()),
  },
  { title: 'ValidationMeta' },
)
export type ValidationMeta = Static<typeof ValidationMeta>

export const FailureError = Type.Object(
  {
    code: Type.Integer(),
    key: Type.String({ description: 'What clients branch on.' }),
    message: Type.String({ description: 'For people, and free to change.' }),
    meta: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Details, by key; see the page of errors.',
      }),
    ),
  },
  { title: 'FailureError' },
)
export type FailureError = Static<typeof FailureError>

export const FailureEnvelope = Type.Object(
  {
    requestId: RequestId,
    success: Type.Unsafe<false>({ type: 'boolean', const: false }),
    error: FailureError,
  },
  { title: 'FailureEnvelope' },
)
export type FailureEnvelope = Static<typeof FailureEnvelope>

/** The envelope of an answer whose shape is `data`. */
export const successEnvelope = <Data extends TSchema>(data: Data) =>
  Type.Object({
    requestId: describe(RequestId, 'Names the request; also in the x-request-id header.'),
    success: Type.Unsafe<true>({ type: 'boolean', const: true }),
    data,
  })
