// The example of each route's request, as the reference shows it. It is read from the schemas, so that a
// shape carries its own example and every route with that shape shows the same correct one.
import type { TSchema } from 'typebox'
import type { RouteBase } from './route.ts'

export interface RequestExample {
  readonly params: Readonly<Record<string, unknown>>
  /** The required parameters. Each optional one has an example of its own in its schema. */
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  /** Undefined for a route without a body. */
  readonly body: unknown
}

export function requestExample({ params, query, headers, body }: RouteBase): RequestExample {
  return {
    params: requiredExamples(params),
    query: requiredExamples(query),
    headers: requiredExamples(headers),
    body: body === undefined ? undefined : valueExample(body),
  }
}

/** The example of a body or a parameter; undefined when its schema offers none. */
export function valueExample(schema: TSchema): unknown {
  const { type, examples, default: initial, enum: values } = schema as ExampleSource
  return examples?.[0] ?? initial ?? values?.[0] ?? (type === 'boolean' ? true : undefined)
}

interface ExampleSource {
  readonly type?: unknown
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

function requiredExamples(schema: TSchema | undefined): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly required?: readonly string[]
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) && !('default' in property))
      .map(([name, property]) => [name, valueExample(property)]),
  )
}
