// What every family of events is made of.
import type { TSchema } from 'typebox'

export interface EventDefinition {
  readonly type: string
  readonly summary: string
  readonly data: TSchema
}

export const event = <const Name extends string, Data extends TSchema>(
  type: Name,
  summary: string,
  data: Data,
) => ({ type, summary, data })
