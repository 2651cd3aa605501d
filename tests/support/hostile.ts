// Hostile requests, made from the schemas: for each place where a caller may write something, what a
// correct client would not write there. Only what is sent is here, not what the answer must be.
import type { RouteBase } from '@tradepost/contract'
import { sampleOf } from '../../packages/contract/src/testing/sample.ts'

export interface HostileRequest {
  readonly what: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** What was meant by the body or the query, for a second opinion by the schema. */
  readonly meant?: { readonly place: 'body' | 'query'; readonly value: unknown }
}

/** Appears in every text that is long enough to carry it; an answer must never repeat it. */
export const MARKER = 'MaRk3r'

/** JSON texts, because some of them are no value of JavaScript. */
const WRONG_VALUES: readonly string[] = [
  'null',
  'true',
  '12',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '123456789012345678901234567890',
  '[]',
  '{}',
  '[[["x"]]]',
  '{"__proto__":{"admin":true}}',
  '{"toString":1,"constructor":{"prototype":1}}',
  '""',
  '" "',
  '"0"',
  '"0.00"',
  '"-5.00"',
  '"+5.00"',
  '"1e3"',
  '"5.001"',
  '"05.00"',
  '".5"',
  '"5,00"',
  '"٥.٠٠"',
  '"NaN"',
  '"0x10"',
  '"9999999999999999999999.99"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u202e\\u200b\\ufeff"',
  `"'; drop table trades.trade; -- ${MARKER}"`,
  `"\\" or 1=1 -- ${MARKER}"`,
  `"$1 \${process.exit(1)} {{7*7}} %s %n ${MARKER}"`,
  `"${MARKER}${'x'.repeat(400)}"`,
  `"${'ß'.repeat(129)}"`,
  '"__proto__"',
  '"constructor"',
  '"2026-02-30T00:00:00Z"',
  '"00000000-0000-0000-0000-000000000000"',
  '"../../etc/passwd"',
]

/** Texts for paths and queries, percent-encoded as far as a caller would have to. */
const WRONG_TEXTS: readonly string[] = [
  '',
  '%20',
  '-1',
  '0',
  '1.5',
  '1e3',
  '1e400',
  '99999999999999999999',
  'NaN',
  'null',
  'undefined',
  'true',
  '%00',
  'a%00b',
  '%zz',
  '%',
  '%e2%82',
  '%ff%fe',
  '%ed%a0%80',
  '__proto__',
  'constructor',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  `%27%3B%20drop%20table%20trades.trade%3B%20--%20${MARKER}`,
  `%22%20or%201%3D1%20--%20${MARKER}`,
  `%25s%25n%24%7B7*7%7D${MARKER}`,
  'x'.repeat(129),
  `${MARKER}${'x'.repeat(3000)}`,
  '%F0%9F%98%80'.repeat(40),
  ',',
  'a,,b',
  '2026-13-45T99:99:99Z',
  '00000000-0000-0000-0000-000000000000',
  '-0',
  '+1',
  '01',
]

interface PlainSchema {
  readonly properties?: Readonly<Record<string, PlainSchema>>
  readonly required?: readonly string[]
  readonly items?: PlainSchema
  readonly anyOf?: readonly PlainSchema[]
  readonly type?: unknown
}

/** Bodies that are wrong as a whole, whatever the route expects. */
export function brokenBodies(path: string): HostileRequest[] {
  const json = { 'content-type': 'application/json' }
  const deep = (open: string, close: string): string => open.repeat(10_000) + close.repeat(10_000)
  const texts: readonly (readonly [string, string | Buffer])[] = [
    ['half an object', '{'],
    ['half a field', '{"a":'],
    ['a trailing comma', '{"a":1,}'],
    ['a bare word', 'nul'],
    ['single quotes', "{'a':1}"],
    ['two values', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['a raw NUL', Buffer.from('{"a":"\u0000"}')],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['a number', '12'],
    ['null', 'null'],
    ['ten thousand arrays in each other', deep('[', ']')],
    ['ten thousand objects in each other', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a million brackets', '['.repeat(200_000)],
    ['257 KiB', `{"a":"${'x'.repeat(257 * 1024)}"}`],
    ['257 KiB of spaces', `{${' '.repeat(257 * 1024)}}`],
    ['ten thousand fields', `{${Array.from({ length: 10_000 }, (_, i) => `"f${i}":1`).join()}}`],
    ['a prototype', '{"__proto__":{"admin":true}}'],
    ['a constructor', '{"constructor":{"prototype":{"admin":true}}}'],
  ]
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonx',
    'text/json',
    'application/json, text/html',
  ]
  return [
    ...texts.map(([what, body]) => ({ what, path, headers: json, body })),
    ...types.map((type) => ({
      what: `content type ${type}`,
      path,
      headers: { 'content-type': type },
      body: '{"amount":"1.00"}',
    })),
    { what: 'no content type', path, body: '{}' },
    {
      what: 'a compressed body',
      path,
      headers: { ...json, 'content-encoding': 'gzip' },
      body: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
    },
  ]
}

/** Bodies that are right but for one place. */
export function wrongFields(route: RouteBase, path: string): HostileRequest[] {
  if (!route.body) return []
  const whole = sampleOf(route.body, 'full')
  const request = (what: string, body: string): HostileRequest => ({
    what,
    path,
    headers: { 'content-type': 'application/json' },
    body,
    meant: { place: 'body', value: tryParse(body) },
  })
  return placesOf(route.body as PlainSchema).flatMap(({ pointer, required, isObject }) => [
    ...WRONG_VALUES.map((value) =>
      request(`${pointer || '/'} is ${value.slice(0, 40)}`, withText(whole, pointer, value)),
    ),
    ...required.map((name) =>
      request(`${pointer}/${name} is missing`, withText(whole, `${pointer}/${name}`, null)),
    ),
    ...(isObject
      ? ['unknownField', '__proto__', 'constructor', "x'; --", ''].map((name) =>
          request(
            `${pointer || '/'} has the field ${JSON.stringify(name)}`,
            withField(whole, pointer, name),
          ),
        )
      : []),
  ])
}

/** Queries: each parameter with each wrong text, unknown ones, repeated ones. */
export function wrongQueries(route: RouteBase, path: string): HostileRequest[] {
  const properties = (route.query as PlainSchema | undefined)?.properties ?? {}
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [
      ...WRONG_TEXTS.map((text) => ({
        what: `?${name}=${text.slice(0, 40)}`,
        path: `${path}?${name}=${text}`,
      })),
      ...(takesSeveral(schema)
        ? []
        : [{ what: `${name} twice`, path: `${path}?${name}=1&${name}=2` }]),
      { what: `${name} as a list`, path: `${path}?${name}[]=1` },
      { what: `${name} as an object`, path: `${path}?${name}[a]=1` },
    ]),
    ...[
      'unknownParameter=1',
      '__proto__=1',
      'constructor=1',
      '__proto__[admin]=1',
      `%27%20or%201=1`,
      '&&&=&=1',
      'a'.repeat(4000),
      Array.from({ length: 1500 }, (_, i) => `p${i}=`).join('&'),
    ].map((query) => ({ what: `?${query.slice(0, 40)}`, path: `${path}?${query}` })),
  ]
}

/** A parameter that may be given several times. */
const takesSeveral = ({ anyOf }: PlainSchema): boolean =>
  anyOf?.some(({ type }) => type === 'array') ?? false

/** Each parameter of the path with each wrong text. */
export function wrongPaths(route: RouteBase): HostileRequest[] {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  return names.flatMap((name) =>
    WRONG_TEXTS.filter((text) => text !== '').map((text) => ({
      what: `${name} is ${text.slice(0, 40)}`,
      path: pathOf(route, { [name]: text }),
    })),
  )
}

export function wrongHeaders(path: string): HostileRequest[] {
  const header = (name: string, value: string): HostileRequest => ({
    what: `${name}: ${value.slice(0, 40)}`,
    path,
    headers: { [name]: value },
  })
  const texts = [
    ' ',
    'x'.repeat(129),
    'x'.repeat(7000),
    `'; drop table trades.trade; -- ${MARKER}`,
    '__proto__',
    '\u00ff\u00fe',
    'a, b',
    '00000000-0000-0000-0000-000000000000',
    '../../etc/passwd',
  ]
  return [
    ...texts.map((text) => header('on-behalf-of', text)),
    ...texts.map((text) => header('idempotency-key', text)),
    ...texts.map((text) => header('api-key', text)),
    ...texts.map((text) => header('x-api-key', text)),
    header('x-request-id', `"}${MARKER}`),
    header('x-forwarded-for', `'; select 1; -- ${MARKER}`),
    header('accept', 'text/html'),
    header('accept-encoding', 'x'.repeat(5000)),
    header('expect', '100-continue'),
    header('x-large', 'x'.repeat(17 * 1024)),
  ]
}

/** A path whose ids are well-formed and unknown, except for those given. */
export const pathOf = (route: RouteBase, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? UNKNOWN[name] ?? 'unknown')

const UNKNOWN: Readonly<Record<string, string>> = {
  tradeId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
  itemId: '0123456789abcdef',
  listingId: '1',
}

interface SchemaPlace {
  /** Of RFC 6901; every list is entered at its first element. */
  readonly pointer: string
  readonly required: readonly string[]
  readonly isObject: boolean
}

function placesOf(schema: PlainSchema, pointer = ''): SchemaPlace[] {
  const place = {
    pointer,
    required: schema.required ?? [],
    isObject: schema.properties !== undefined,
  }
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    placesOf(part, `${pointer}/${name}`),
  )
  return [place, ...inner, ...(schema.items ? placesOf(schema.items, `${pointer}/0`) : [])]
}

const HOLE = '<<hole>>'

/** The JSON of `whole` with another text at the pointer; null leaves the place out. */
function withText(whole: unknown, pointer: string, text: string | null): string {
  if (pointer === '') return text ?? ''
  const copy = structuredClone(whole)
  const { parent, name } = enter(copy, pointer)
  if (text === null) delete parent[name]
  else parent[name] = HOLE
  return JSON.stringify(copy).replace(JSON.stringify(HOLE), () => text ?? '')
}

function withField(whole: unknown, pointer: string, name: string): string {
  const copy = structuredClone(whole)
  const { parent } = enter(copy, `${pointer}/x`)
  parent.unknownHole = 1
  return JSON.stringify(copy).replace('"unknownHole"', () => JSON.stringify(name))
}

function enter(value: unknown, pointer: string): { parent: Record<string, unknown>; name: string } {
  const names = pointer.split('/').slice(1)
  let parent = value as Record<string, unknown>
  for (const name of names.slice(0, -1)) parent = parent[name] as Record<string, unknown>
  return { parent, name: names.at(-1) as string }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
