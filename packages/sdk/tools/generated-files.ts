// What of the SDK is made from the contract: its shapes, operations, events and error keys. Pure, so that
// a test can compare the committed files with what they would be.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DOPPLER_PHASES,
  ERROR_KEYS,
  ERRORS,
  type EventDefinition,
  errorEntry,
  ITEM_CATEGORIES,
  ITEM_IDS_PATTERN,
  listPattern,
  merchantRouteList,
  type OpenApiDocument,
  openapiDocument,
  orderEvents,
  PAINT_SEEDS_PATTERN,
  PARTNER_INTERFACE,
  partnerRouteList,
  type RouteBase,
  TEXT_LIST_PATTERN,
  TRADE_FAILURES,
  webhookEvents,
} from '@tradepost/contract'
import {
  type Direction,
  declarationOf,
  fieldOf,
  jsdoc,
  literal,
  namesIn,
  type Schema,
  typeOf,
} from './shape-types.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly route: RouteBase
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  readonly data: Schema
}

const HEADER = '// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.\n'

/** Used by several topics, or by events. */
const SHARED = 'shared'

/** An interface of the service, and what of it is written beside its shapes and operations. */
interface Source {
  readonly document: OpenApiDocument
  readonly routes: readonly RouteBase[]
  readonly events: Readonly<Record<string, EventDefinition>>
}

/** Path below `src` to unformatted content. */
export function generatedFiles(): Map<string, string> {
  const merchant = filesOf({
    document: openapiDocument({
      routes: merchantRouteList,
      events: webhookEvents,
      errors: ERRORS,
      serverUrl: '/',
    }),
    routes: merchantRouteList,
    events: webhookEvents,
  })
  const partner = filesOf({
    document: openapiDocument({
      about: PARTNER_INTERFACE,
      routes: partnerRouteList,
      events: orderEvents,
      errors: ERRORS,
      serverUrl: '/',
    }),
    routes: partnerRouteList,
    events: orderEvents,
  })
  merchant.set('error-keys.ts', errorKeysFile())
  merchant.set('trade-failures.ts', tradeFailuresFile())
  merchant.set('payout-batch-csv.ts', copyOf('payout-batch-csv.ts'))
  const files = new Map<string, string>()
  for (const [folder, written] of [
    ['generated', merchant],
    ['partner/generated', partner],
  ] as const) {
    written.set('index.ts', indexFile([...written.keys()]))
    for (const [name, content] of written) files.set(`${folder}/${name}`, content)
  }
  return files
}

function filesOf({ document, routes, events }: Source): Map<string, string> {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>
  const operations = routes.map((route) => readOperation(document.paths, route))
  const homes = homesOf(operations, events, schemas)
  const requestShapes = closure(
    operations.flatMap(({ body }) => namesIn(body)),
    schemas,
  )
  const directionOf = (name: string): Direction => (requestShapes.has(name) ? 'in' : 'out')

  const files = new Map<string, string>()
  const withQueries = operations.filter((one) => queryOf(one).length > 0)
  const topics = new Set([...homes.values(), ...withQueries.map(({ route }) => topicOf(route))])
  for (const home of [...topics].sort()) {
    const names = [...homes].filter(([, at]) => at === home).map(([name]) => name)
    const declared = names.map((name) =>
      declarationOf(name, schemas[name] as Schema, directionOf(name)),
    )
    const queries = operations
      .filter(({ route }) => topicOf(route) === home)
      .flatMap((operation) => queryOf(operation))
    const used = [
      ...names.flatMap((name) => namesIn(schemas[name])),
      ...operations
        .filter(({ route }) => topicOf(route) === home)
        .flatMap(({ parameters }) =>
          parameters.filter((one) => one.in === 'query').flatMap(namesOf),
        ),
    ]
    files.set(
      `${home}.ts`,
      HEADER + importsOf(used, homes, home) + [...declared, ...queries].join('\n'),
    )
  }
  files.set('operations.ts', operationsFile(operations, homes))
  files.set('events.ts', eventsFile(events, homes))
  return files
}

const topicOf = (route: RouteBase): string => route.tag.toLowerCase().replace(' ', '-')

function readOperation(
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  route: RouteBase,
): Operation {
  const drawn = paths[route.path]?.[route.method.toLowerCase()] as {
    readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
    readonly requestBody?: Content
    readonly responses: Readonly<Record<string, Content>>
  }
  const answer = jsonOf(drawn.responses[route.status])
  const data = answer?.properties?.data
  if (data === undefined) throw new Error(`${route.id} answers nothing`)
  return {
    route,
    parameters: (drawn.parameters ?? []).filter((one): one is Parameter => 'in' in one),
    body: jsonOf(drawn.requestBody),
    data,
  }
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

const jsonOf = (content: Content | undefined): Schema | null =>
  content?.content?.['application/json']?.schema ?? null

/** The file of each shape: that of the only topic that uses it, or the shared one. */
function homesOf(
  operations: readonly Operation[],
  events: Source['events'],
  schemas: Readonly<Record<string, Schema>>,
): Map<string, string> {
  const users = new Map<string, Set<string>>()
  const note = (names: Iterable<string>, topic: string): void => {
    for (const name of names) users.set(name, (users.get(name) ?? new Set()).add(topic))
  }
  for (const { route, parameters, body, data } of operations) {
    const names = namesIn([parameters, body, data])
    note(closure(names, schemas), topicOf(route))
  }
  note(
    closure(
      Object.values(events).map(({ data }) => String((data as { title?: string }).title)),
      schemas,
    ),
    SHARED,
  )
  return new Map(
    [...users]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, topics]) => {
        const [only = SHARED] = topics
        return [name, topics.size === 1 ? only : SHARED]
      }),
  )
}

function closure(
  names: Iterable<string>,
  schemas: Readonly<Record<string, Schema>>,
  seen = new Set<string>(),
): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    closure(namesIn(schemas[name]), schemas, seen)
  }
  return seen
}

function importsOf(
  used: readonly string[],
  homes: ReadonlyMap<string, string>,
  here: string,
): string {
  const byFile = new Map<string, Set<string>>()
  for (const name of used) {
    const home = homes.get(name)
    if (home === undefined) throw new Error(`${name} has no home`)
    if (home !== here) byFile.set(home, (byFile.get(home) ?? new Set()).add(name))
  }
  const lines = [...byFile]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from './${file}.ts'\n`)
  return `${lines.join('')}\n`
}

const capital = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)

const queryName = ({ route }: Operation): string => `${capital(route.id)}Query`

function queryOf(operation: Operation): string[] {
  const fields = operation.parameters
    .filter((one) => one.in === 'query')
    .map((one) =>
      fieldOf({
        name: one.name,
        schema: one.schema,
        isRequired: one.required,
        direction: 'in',
        type: listTypeOf(one.schema) ?? typeOf(one.schema, 'in'),
        description: one.description,
      }),
    )
  if (fields.length === 0) return []
  const { method, path } = operation.route
  return [
    `${jsdoc(`The query of ${method} ${path}.`, '')}export interface ${queryName(operation)} {\n${fields.join('\n')}\n}\n`,
  ]
}

/** Filters that take several values, separated by commas on the wire, take arrays here. */
const LISTS: Readonly<Record<string, string>> = {
  [TEXT_LIST_PATTERN]: 'string',
  [ITEM_IDS_PATTERN]: 'string',
  [PAINT_SEEDS_PATTERN]: 'number',
  [listPattern(ITEM_CATEGORIES)]: 'ItemCategory',
  [listPattern(Object.keys(webhookEvents))]: 'EventType',
  [listPattern(DOPPLER_PHASES)]: DOPPLER_PHASES.map(literal).join(' | '),
}

function listTypeOf({ pattern }: Schema): string | null {
  const one = pattern === undefined ? undefined : LISTS[pattern]
  if (one === undefined) return null
  return `${one} | readonly (${one})[]`
}

const namesOf = ({ schema }: Parameter): string[] => [
  ...namesIn(schema),
  ...['ItemCategory', 'EventType'].filter((name) => listTypeOf(schema)?.startsWith(name)),
]

function operationsFile(operations: readonly Operation[], homes: Map<string, string>): string {
  const withQueries = new Map(homes)
  const used: string[] = []
  const types = operations.map((operation) => {
    const { route, parameters, body, data } = operation
    const params = parameters.filter((one) => one.in === 'path')
    const hasQuery = parameters.some((one) => one.in === 'query')
    if (hasQuery) {
      withQueries.set(queryName(operation), topicOf(route))
      used.push(queryName(operation))
    }
    used.push(...namesIn([body, data]))
    const fields = [
      params.length === 0
        ? null
        : `params: { ${params.map(({ name }) => `${name}: string`).join('; ')} }`,
      hasQuery ? `query: ${queryName(operation)}` : null,
      body === null ? null : `body: ${typeOf(body, 'in')}`,
      `data: ${typeOf(data, 'out')}`,
    ]
    return `${jsdoc(`${route.method} ${route.path}`, '  ')}  ${route.id}: { ${fields.filter((one) => one !== null).join('; ')} }`
  })
  const routes = operations.map(({ route }) => {
    const isKeyed = route.headers !== undefined && 'idempotency-key' in propertiesOf(route.headers)
    return `  ${route.id}: { method: '${route.method}', path: '${route.path}'${isKeyed ? ', keyed: true' : ''} },`
  })
  return `${HEADER}${importsOf(used, withQueries, 'operations')}
/** What each operation takes and answers. */
export interface Operations {
${types.join('\n')}
}

export type OperationId = keyof Operations

export interface RouteOfOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Moves money under an \`Idempotency-Key\`. */
  readonly keyed?: true
}

export const ROUTES: Readonly<Record<OperationId, RouteOfOperation>> = {
${routes.join('\n')}
}
`
}

const propertiesOf = (schema: unknown): object =>
  (schema as { readonly properties?: object }).properties ?? {}

function eventsFile(known: Source['events'], homes: ReadonlyMap<string, string>): string {
  const events = Object.values(known).map(({ type, summary, data }) => ({
    type,
    summary,
    data: String((data as { title?: string }).title),
  }))
  const members = events.map(
    ({ type, summary, data }) => `${jsdoc(summary, '  ')}  '${type}': ${data}`,
  )
  return `${HEADER}${importsOf(
    events.map(({ data }) => data),
    homes,
    'events',
  )}
/** The data of each type of event. */
export interface WebhookEventDataByType {
${members.join('\n')}
}

export type WebhookEventType = keyof WebhookEventDataByType

/** The body of a delivery. */
export interface WebhookEventOf<Type extends WebhookEventType> {
  /** The same on every attempt: use it to drop repeats. */
  id: string
  type: Type
  createdAt: string
  data: WebhookEventDataByType[Type]
}

/**
 * Any delivery; \`type\` says which data it has. A newer service may send types that are not in this list:
 * leave those alone.
 */
export type WebhookEvent = { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]
`
}

function errorKeysFile(): string {
  const members = ERROR_KEYS.map((key) => {
    const { status, meaning } = errorEntry(key)
    return `${jsdoc(`${status}. ${meaning}`, '  ')}  ${key}: ${status}`
  })
  return `${HEADER}
/** Every key that the service refuses with, and its HTTP status. */
export interface ErrorStatuses {
${members.join('\n')}
}

export type ErrorKey = keyof ErrorStatuses

/** For people: what a key alone, such as one of a preflight's refusals, means. */
export const ERROR_MESSAGES: Readonly<Record<ErrorKey, string>> = {
${ERROR_KEYS.map((key) => `  ${key}: ${JSON.stringify(errorEntry(key).message)},`).join('\n')}
}
`
}

const tradeFailuresFile = (): string => `${HEADER}
import type { TradeFailureCode } from './shared.ts'

/** For people: why an item failed or was declined, by its \`error\`. */
export const TRADE_FAILURES: Readonly<Record<TradeFailureCode, string>> = ${JSON.stringify(TRADE_FAILURES)}
`

/** A file of the contract that imports nothing: the package of the SDK has no dependencies. */
const copyOf = (name: string): string =>
  `${HEADER}${readFileSync(join(import.meta.dirname, '../../contract/src', name), 'utf8')}`

function indexFile(files: readonly string[]): string {
  const lines = files
    .filter((file) => file !== 'operations.ts')
    .map((file) => `export type * from './${file}'`)
    .sort()
  return `${HEADER}${lines.join('\n')}\n`
}
