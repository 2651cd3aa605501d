// Draws the OpenAPI 3.1 document from the same schemas that validate and serialise. Pure: the same
// input gives the same bytes, so that a stale file is found by comparison.
import type { TSchema } from 'typebox'
import { FailureEnvelope, successEnvelope } from './envelope.ts'
import type { ErrorEntry, ErrorKey } from './errors.ts'
import type { EventDefinition } from './events/family.ts'
import { eventName, WebhookHeaders, webhookEnvelope } from './events/webhook.ts'
import { requestExample } from './examples.ts'
import {
  createShapeRegistry,
  type JsonObject,
  type ShapeRegistry,
} from './openapi/shape-registry.ts'
import { UserReference } from './primitives.ts'
import { API_KEY_HEADER, type Route, type RouteBase } from './route.ts'
import type { SocketRoute } from './routes/live.ts'
import { INTERFACE_VERSION } from './version.ts'

export interface OpenApiOptions {
  readonly routes: readonly RouteBase[]
  /** The merchant interface unless given. */
  readonly about?: InterfaceDescription
  /** WebSockets, listed as GET with 101. */
  readonly sockets?: readonly SocketRoute[]
  readonly events: Readonly<Record<string, EventDefinition>>
  readonly errors: Readonly<Record<ErrorKey, ErrorEntry>>
  /** An answer of each operation, by its id; none of an operation that is not here. */
  readonly answers?: Readonly<Record<string, unknown>>
  /** An origin, or '/' for wherever the document was read from. */
  readonly serverUrl: string
}

export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.1.0'
  readonly info: JsonObject
  readonly paths: Record<string, Record<string, JsonObject>>
  readonly webhooks: Record<string, { post: JsonObject }>
  readonly components: Record<string, JsonObject>
}

/** What holds for every interface. */
export const CONVENTIONS = `Every answer is wrapped: \`{requestId, success: true, data}\`, or \`{requestId, success: false, error: {code, key, message, meta?}}\`. Branch on \`error.key\`; messages are for people and change.

Fields that end in \`Cents\` are whole cents. Other money is a JSON number with at most two decimals; amounts that you send are decimal strings such as \`5.50\`. Times are ISO 8601 in UTC with milliseconds. Unknown query parameters and body fields are refused.`

/** What a document says of its interface, beside the operations. */
export interface InterfaceDescription {
  readonly title: string
  readonly description: string
  readonly tags: Readonly<Record<string, string>>
  /** Whose budget a call costs, as its readers call it. */
  readonly budgetHolder: string
  /** The security scheme's name and what it is; a session is a cookie, a key a header. */
  readonly security: { readonly name: string; readonly scheme: JsonObject }
  readonly webhookHeaders?: TSchema
  /** What an operation says beyond its schemas; null for nothing. */
  detailsOf(route: RouteBase): string | null
  /** Parameters that no schema of the route has, by reference name. */
  parametersOf(route: RouteBase): readonly string[]
  parameters(shapes: ShapeRegistry): JsonObject
}

const MERCHANT_TAGS: Readonly<Record<Route['tag'], string>> = {
  Merchant: 'The account behind the key: profile, fees, totals, wallets.',
  'Sub-users': 'The merchant’s end users and their money.',
  Trades: 'Buys and sells, and their state.',
  'Event feed': 'The events of webhooks, to read again or to follow.',
  Wallet: 'One account’s own balance and postings.',
  'Trade URLs': 'Where an account receives what it buys.',
  Market: 'Search, prices, live listings, and buying them.',
  'Market orders': 'Standing orders to buy at no more than a price.',
  Live: 'WebSockets with events as they happen.',
  Selling: 'What the service’s bots pay, and selling to them.',
  Deposits: 'Money into a wallet: by a payment gateway, a card or a chain.',
  Payouts: 'Crypto that the merchant puts in, and withdraws to addresses outside.',
}

const MERCHANT_INTERFACE: InterfaceDescription = {
  title: 'Tradepost merchant interface',
  description: `Search live listings of several markets, buy for your own users, follow each delivery.

${CONVENTIONS}`,
  tags: MERCHANT_TAGS,
  budgetHolder: 'merchant',
  security: {
    name: 'apiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: API_KEY_HEADER,
      description: 'One key for each request, bound to one merchant.',
    },
  },
  detailsOf: () => null,
  parametersOf: (route) => ((route as Route).context === 'user' ? ['OnBehalfOf'] : []),
  parameters: (shapes) => ({ OnBehalfOf: onBehalfOf(shapes) }),
}

export function openapiDocument(options: OpenApiOptions): OpenApiDocument {
  const about = options.about ?? MERCHANT_INTERFACE
  const shapes = createShapeRegistry()
  const responses: JsonObject = {}
  const paths = pathsOf(options, { about, shapes, responses })
  const webhooks = webhooksOf(options.events, about.webhookHeaders ?? WebhookHeaders, shapes)
  return {
    openapi: '3.1.0',
    info: { title: about.title, version: INTERFACE_VERSION, description: about.description },
    servers: [{ url: options.serverUrl }],
    security: [{ [about.security.name]: [] }],
    tags: Object.entries(about.tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { [about.security.name]: about.security.scheme },
      parameters: about.parameters(shapes),
      headers: HEADERS,
      responses: sorted(responses),
      examples: examplesOf(options.errors, usedKeys(options.routes)),
      schemas: shapes.components(),
    },
  }
}

/** What operations share, collected while they are drawn. */
interface Parts {
  readonly about: InterfaceDescription
  readonly shapes: ShapeRegistry
  readonly responses: JsonObject
}

function pathsOf(options: OpenApiOptions, parts: Parts): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of options.routes) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operationOf(route, options, parts)
    paths[route.path] = path
  }
  for (const socket of options.sockets ?? []) {
    paths[socket.path] = { ...paths[socket.path], get: socketOf(socket, parts.shapes) }
  }
  return paths
}

const socketOf = (socket: SocketRoute, shapes: ShapeRegistry): JsonObject => ({
  operationId: socket.id,
  tags: [socket.tag],
  summary: socket.summary,
  description: socket.description,
  security: [],
  parameters: parametersOf(socket.query, 'query', shapes),
  responses: { 101: { description: 'The connection is a WebSocket from here on.' } },
})

function operationOf(route: RouteBase, options: OpenApiOptions, parts: Parts): JsonObject {
  const { about, shapes } = parts
  const parameters = [
    ...parametersOf(route.params, 'path', shapes),
    ...parametersOf(route.query, 'query', shapes),
    ...parametersOf(route.headers, 'header', shapes),
    ...about.parametersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.legacy === undefined ? {} : { deprecated: true }),
    description: [
      route.description,
      about.detailsOf(route),
      costSentence(route, about.budgetHolder),
    ]
      .filter((part) => part !== null)
      .join('\n\n'),
    // An empty requirement says that the credential may be left out.
    ...(route.keyless && { security: [{}, { [about.security.name]: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: json(shapes.place(route.body), requestExample(route).body),
          },
        }),
    responses: {
      [route.status]: {
        description: 'Done.',
        headers: headersOf(route),
        content: json(
          shapes.place(successEnvelope(route.response)),
          answerExample(options.answers?.[route.id]),
        ),
      },
      ...failuresOf(route, options.errors, parts),
    },
  }
}

function costSentence(route: RouteBase, budgetHolder: string): string {
  if (route.cost === 0) return 'Costs nothing.'
  const dearer =
    route.dearer === undefined
      ? ''
      : ` (${route.dearer.cost} with ${route.dearer.query}=${route.dearer.equals})`
  const cap =
    route.cap === undefined
      ? ''
      : `, and at most ${route.cap.limit} calls in ${route.cap.windowSeconds} seconds`
  const tokens = route.cost === 1 ? 'token' : 'tokens'
  return `Costs ${route.cost} ${tokens}${dearer} of the ${budgetHolder}’s budget${cap}.`
}

/** One parameter for each property of an object schema; its description moves up to the parameter. */
function parametersOf(
  schema: TSchema | undefined,
  place: 'path' | 'query' | 'header',
  shapes: ShapeRegistry,
): JsonObject[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, TSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...placed } = shapes.place(property)
    return {
      name: place === 'header' ? titleCase(name) : name,
      in: place,
      required: required.includes(name) && !('default' in property),
      ...(description === undefined ? {} : { description }),
      schema: placed,
    }
  })
}

function failuresOf(
  route: RouteBase,
  errors: OpenApiOptions['errors'],
  parts: Parts,
): Record<string, JsonObject> {
  const byStatus = new Map<number, ErrorKey[]>()
  for (const key of route.refusals) {
    const entry = errors[key]
    for (const status of [entry.status, ...(entry.alsoStatuses ?? [])]) {
      if (route.method === 'GET' && entry.bodyStatuses?.includes(status)) continue
      byStatus.set(status, [...(byStatus.get(status) ?? []), key])
    }
  }
  const statuses = [...byStatus].sort(([one], [other]) => one - other)
  return Object.fromEntries(
    statuses.map(([status, keys]) => [status, failureOf(route, status, keys.sort(), parts)]),
  )
}

/** Many routes share their failures, so each combination is written once and referred to. */
function failureOf(
  route: RouteBase,
  status: number,
  keys: readonly ErrorKey[],
  { shapes, responses }: Parts,
): JsonObject {
  const name = [status, ...keys, ...(route.cap === undefined ? [] : ['capped'])].join('.')
  const retryAfter = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
  responses[name] ??= {
    description: keys.join(', '),
    headers: { ...headersOf(route), ...(status === 429 || status === 503 ? retryAfter : {}) },
    content: {
      'application/json': {
        schema: {
          allOf: [shapes.place(FailureEnvelope), { type: 'object', properties: errorOf(keys) }],
        },
        examples: Object.fromEntries(
          keys.map((key) => [key, { $ref: `#/components/examples/${key}` }]),
        ),
      },
    },
  }
  return { $ref: `#/components/responses/${name}` }
}

const errorOf = (keys: readonly ErrorKey[]): JsonObject => ({
  error: { type: 'object', properties: { key: { type: 'string', enum: [...keys] } } },
})

function headersOf(route: RouteBase): JsonObject {
  const named = route.cap === undefined ? ['x-request-id'] : Object.keys(HEADER_NAMES)
  return Object.fromEntries(
    named
      .filter((name) => name !== 'retry-after')
      .map((name) => [name, { $ref: `#/components/headers/${HEADER_NAMES[name]}` }]),
  )
}

const HEADER_NAMES: Readonly<Record<string, string>> = {
  'x-request-id': 'RequestId',
  'ratelimit-policy': 'RateLimitPolicy',
  ratelimit: 'RateLimit',
  'x-ratelimit-limit': 'RateLimitLimit',
  'x-ratelimit-remaining': 'RateLimitRemaining',
  'x-ratelimit-reset': 'RateLimitReset',
  'retry-after': 'RetryAfter',
}

const HEADERS: JsonObject = {
  RequestId: {
    description: 'The requestId of the envelope.',
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitPolicy: {
    description: 'The cap of this route: name, calls and seconds.',
    schema: { type: 'string', examples: ['"market-buy";q=100;w=60'] },
  },
  RateLimit: {
    description: 'What is left of the cap, and the seconds until there is more of it again.',
    schema: { type: 'string', examples: ['"market-buy";r=99;t=41'] },
  },
  RateLimitLimit: { description: 'Calls that the cap allows.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Calls that are left.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'Seconds from now.', schema: { type: 'integer' } },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
}

const onBehalfOf = (shapes: ShapeRegistry): JsonObject => ({
  name: 'On-Behalf-Of',
  in: 'header',
  required: false,
  description:
    'A sub-user’s UUID or externalId: the call then runs as that sub-user. Without it the call runs as the merchant itself.',
  schema: shapes.place(UserReference),
})

function webhooksOf(
  events: OpenApiOptions['events'],
  headerShape: TSchema,
  shapes: ShapeRegistry,
): OpenApiDocument['webhooks'] {
  const headers = parametersOf(headerShape, 'header', shapes)
  return Object.fromEntries(
    Object.values(events).map((event) => [
      event.type,
      {
        post: {
          operationId: `on${eventName(event.type)}`,
          summary: event.summary,
          description:
            'Answer with any 2xx within 10 seconds. Anything else is tried again, 11 times over about 15 hours; 410 disables the endpoint.',
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: json(shapes.place(webhookEnvelope(event.type, event.data))),
          },
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    ]),
  )
}

function usedKeys(routes: readonly RouteBase[]): ErrorKey[] {
  return [...new Set(routes.flatMap((route) => route.refusals))].sort()
}

const REQUEST_ID = '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'

const answerExample = (data: unknown): unknown =>
  data === undefined ? undefined : { requestId: REQUEST_ID, success: true, data }

const examplesOf = (errors: OpenApiOptions['errors'], keys: readonly ErrorKey[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, exampleOf(key, errors[key])]))

const exampleOf = (key: ErrorKey, entry: ErrorEntry): JsonObject => ({
  summary: entry.message,
  description: `${entry.meaning} ${entry.action}`,
  value: {
    requestId: REQUEST_ID,
    success: false,
    error: {
      code: entry.code,
      key,
      message: entry.message,
      ...(entry.metaExample === undefined ? {} : { meta: entry.metaExample }),
    },
  },
})

const json = (schema: JsonObject, example?: unknown): JsonObject => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

const sorted = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)))

const titleCase = (name: string): string =>
  name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
