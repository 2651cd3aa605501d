// The requests of an OpenAPI document as API clients show them: grouped by tag, named as in the reference,
// filled with the document's own examples. Postman's and Bruno's files are both written from this.
import type { OpenApiDocument } from '@tradepost/contract'

export interface Collection {
  readonly name: string
  readonly description: string
  /** The header that carries the key. */
  readonly keyHeader: string
  readonly variables: readonly Variable[]
  readonly folders: readonly Folder[]
}

/** A value that several requests share, such as the id of an item. */
export interface Variable {
  readonly name: string
  readonly value: string
}

export interface Folder {
  readonly name: string
  readonly description: string
  readonly requests: readonly CollectionRequest[]
}

export interface CollectionRequest {
  /** The operationId. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly method: string
  /** Parameters as `:name`. */
  readonly path: string
  readonly params: readonly Parameter[]
  readonly query: readonly Parameter[]
  readonly headers: readonly Parameter[]
  /** Indented JSON; null: none. */
  readonly body: string | null
}

export interface Parameter extends Variable {
  readonly description: string
  /** False: shown, and sent only once its reader ticks it. */
  readonly isSent: boolean
}

/** Where `npm start` answers unless it is set otherwise. */
export const SANDBOX_URL = 'http://127.0.0.1:3000'

interface Schema {
  readonly $ref?: string
  readonly type?: unknown
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

interface DrawnParameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly DrawnParameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: unknown }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

interface Drawn {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly DrawnParameter[]
}

const USE = `Set the variable \`apiKey\` to your key, and \`baseUrl\` to the address of the service. The ids in the paths are variables too: set \`itemId\` once, and every request for an item has it. Optional parameters are listed and switched off. WebSockets are not in here.`

export function collectionOf(document: OpenApiDocument): Collection {
  const operations = operationsOf(document)
  const variables = variablesOf(operations)
  const { info, tags } = document as unknown as {
    readonly info: { readonly title: string; readonly description: string }
    readonly tags: readonly { readonly name: string; readonly description: string }[]
  }
  const folders = tags.map(({ name, description }) => ({
    ...{ name, description },
    requests: operations
      .filter(({ operation }) => operation.tags[0] === name)
      .map((drawn) => requestOf(drawn, variables)),
  }))
  return {
    name: info.title,
    description: `${info.description}\n\n${USE}`,
    keyHeader: keyHeaderOf(document),
    variables: [...variables].map(([name, value]) => ({ name, value })),
    folders: folders.filter(({ requests }) => requests.length > 0),
  }
}

function operationsOf(document: OpenApiDocument): readonly Drawn[] {
  const resolve = createResolver(document)
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method, operation: operation as unknown as Operation }))
      // A WebSocket is not a request of these programs.
      .filter(({ operation }) => !('101' in operation.responses))
      .map(({ method, operation }) => ({
        ...{ id: operation.operationId, method: method.toUpperCase(), path, operation },
        parameters: (operation.parameters ?? []).map((drawn) => {
          const parameter = resolve(drawn)
          return { ...parameter, schema: resolve(parameter.schema) }
        }),
      })),
  )
}

/** What a reference leads to, with what stands beside it. */
function createResolver(document: OpenApiDocument) {
  return function resolve<Part extends { readonly $ref?: string }>(part: Part): Part {
    const { $ref, ...beside } = part
    if ($ref === undefined) return part
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
    return { ...resolve(target as Part), ...beside }
  }
}

/** Of the parameters of paths, and of listings, which the partner interface names in queries alone. */
function variablesOf(operations: readonly Drawn[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  for (const { id, path, parameters } of operations) {
    for (const parameter of parameters) {
      const name = variableOf(path, parameter)
      if (name === null) continue
      const value = String(exampleOf(parameter.schema))
      if ((variables.get(name) ?? value) !== value) {
        throw new Error(`${id}: the variable ${name} has two examples; give one another name`)
      }
      variables.set(name, value)
    }
  }
  return variables
}

const NOUNS: Readonly<Record<string, string>> = { batches: 'batch', tradeurls: 'tradeUrl' }

/** `{id}` is named by what stands before it: `/users/{id}` is `userId`. */
function variableOf(path: string, { in: place, name, required }: DrawnParameter): string | null {
  if (place === 'query' && required && (name === 'item' || name === 'listing')) return `${name}Id`
  if (place !== 'path') return null
  // An item of a trade is a line of an order, not an item of the catalogue.
  if (name === 'itemId' && path.includes('{tradeId}')) return 'tradeItemId'
  if (name !== 'id') return name
  const before = path.split('/').at(path.split('/').indexOf('{id}') - 1) ?? ''
  return `${NOUNS[before] ?? before.replace(/s$/, '')}Id`
}

function exampleOf({ type, examples, default: initial, enum: values }: Schema): unknown {
  return examples?.[0] ?? initial ?? values?.[0] ?? (type === 'boolean' ? true : '')
}

function requestOf(drawn: Drawn, variables: ReadonlyMap<string, string>): CollectionRequest {
  const { id, method, path, operation, parameters } = drawn
  const shared = sharedValues(variables)
  const at = (place: DrawnParameter['in']): readonly Parameter[] =>
    parameters
      .filter((one) => one.in === place)
      .map((one) => {
        const variable = variableOf(path, one)
        return {
          name: one.name,
          value: variable === null ? filledWith(one, shared) : `{{${variable}}}`,
          description: one.description ?? '',
          isSent: one.required,
        }
      })
  const example = operation.requestBody?.content['application/json']?.example
  return {
    ...{ id, name: operation.summary, description: operation.description, method },
    path: path.replace(/\{(\w+)\}/g, ':$1'),
    ...{ params: at('path'), query: at('query'), headers: at('header') },
    body: example === undefined ? null : JSON.stringify(withVariables(example, shared), null, 2),
  }
}

function filledWith({ name, schema }: DrawnParameter, shared: ReadonlyMap<string, string>): string {
  // Every press of a button is a new payment: both programs make a UUID for `$guid`.
  if (name === 'Idempotency-Key') return '{{$guid}}'
  const example = String(exampleOf(schema))
  return shared.get(example) ?? example
}

/** A variable by the example that is its alone; a UUID stands for many things. */
function sharedValues(variables: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = [...variables.values()]
  return new Map(
    [...variables]
      .filter(([, value]) => all.indexOf(value) === all.lastIndexOf(value))
      .map(([name, value]) => [value, `{{${name}}}`]),
  )
}

/** An `externalId` names what the request makes: no variable, which stands for what is there. */
function withVariables(value: unknown, shared: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return shared.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => withVariables(one, shared))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'externalId' ? one : withVariables(one, shared),
    ]),
  )
}

function keyHeaderOf({ components }: OpenApiDocument): string {
  const [scheme] = Object.values(components.securitySchemes ?? {}) as { name: string }[]
  if (scheme === undefined) throw new Error('the document has no security scheme')
  return scheme.name
}
