// One line for each thing that happened, JSON unless stdout is a terminal, written by this process: a
// transport in a worker thread loses its last lines in a crash, and those are the ones that matter.
import { type Logger, type LoggerOptions, pino } from 'pino'
import { eventOf } from './log-event.ts'
import { openOutput } from './log-output.ts'

/** What modules and jobs need of a log: fields first, then a sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type RootLog = Logger
type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

export interface LogOptions {
  readonly level: string
  /** Carried by every line, for example the role of the process. */
  readonly base?: Readonly<Record<string, unknown>>
  /** What every line carries of the moment at which it is written, such as the trace it belongs to. */
  readonly ofMoment?: (() => object) | undefined
  /** A line with these fields is counted by something that has a line of its own for all of them. */
  readonly isCovered?: (fields: object) => boolean
  /** Where lines go; stdout when left out. */
  readonly destination?: { write(line: string): void }
}

export function createLog({
  level,
  base = {},
  ofMoment,
  isCovered,
  destination,
}: LogOptions): RootLog {
  const options = {
    level,
    base,
    ...(ofMoment && { mixin: ofMoment }),
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => withoutSecrets(fields),
    },
    serializers: { err: serializeError, error: serializeError },
    // Of what a child log carries, which no formatter sees.
    redact: { paths: [...SECRET_FIELDS].map((name) => `["${name}"]`), censor: CENSOR },
    // The last gate before the pipe: whatever road a secret took into a line, it stops here.
    hooks: { streamWrite: redactText, logMethod: named(isCovered) },
  }
  return pino(options, destination ?? openOutput())
}

/** Gives each line the name of its event. */
function named(isCovered: LogOptions['isCovered']): LogMethod {
  return function (args, method) {
    const [fields, message] = args as [unknown, unknown?]
    if (typeof fields !== 'object' || fields === null || fields instanceof Error) {
      // A library's own words.
      method.apply(this, args)
      return
    }
    if (isCovered?.(fields)) return
    const event = eventOf(fields, String(message ?? ''), redactText)
    method.apply(this, [{ event, ...fields }, ...args.slice(1)] as unknown as typeof args)
  }
}

const serializeError = (error: unknown): object => errorFields(error)

const MAX_CAUSES = 4

/**
 * What a line says of an error, by name. Libraries hang whole clients on their errors, with keys and
 * statements in them; nothing of that is copied.
 */
function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    stack: error.stack,
    ...(error.cause !== undefined &&
      depth < MAX_CAUSES && { cause: errorFields(error.cause, depth + 1) }),
  }
}

/** Takes secrets out of a text: keys, tokens, passwords in URLs and in queries. */
export function redactText(text: string): string {
  // Most lines have none of the marks, and a search for a letter is far cheaper than an expression.
  let clean = text
  if (text.includes('=')) clean = clean.replace(NAMED_SECRET, '$1[secret]')
  if (text.includes('_')) clean = clean.replace(OWN_SECRET, '$1[secret]')
  if (text.includes('://')) clean = clean.replace(URL_PASSWORD, '$1[secret]@')
  return clean
}

/** For tests and tools that have nothing to say. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

const SECRET_FIELDS = new Set([
  ...['apiKey', 'api_key', 'api-key', 'x-api-key', 'key', 'secret', 'token', 'password'],
  ...['cookie', 'set-cookie', 'authorization', 'webhookSecret'],
])
const CENSOR = '[secret]'
const CENSORED_DEPTH = 3

/**
 * The same fields, or a copy in which fields of these names are censored, down to the depth at which our
 * lines carry any. Pino's own redaction goes by paths with wildcards: 23 of the 24 µs of a line.
 */
function withoutSecrets<Fields extends object>(fields: Fields, depth = 1): Fields {
  let copy: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(fields)) {
    const clean = SECRET_FIELDS.has(name) ? CENSOR : cleanValue(name, value, depth)
    if (clean === value) continue
    copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>
    copy[name] = clean
  }
  return (copy ?? fields) as Fields
}

function cleanValue(name: string, value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === CENSORED_DEPTH) return value
  if (!(value instanceof Error)) return withoutSecrets(value, depth + 1)
  // Those two names have their serializer.
  return name === 'err' || name === 'error' ? value : errorFields(value)
}

const NAMED_SECRET =
  /\b((?:[\w-]*(?:token|secret|password|signature)|api|key|[\w-]*api[_-]?key)=)[^&"'\s\\]+/gi
const OWN_SECRET = /\b(tp_(?:live|test)_|whsec_)[\w-]{16,}/g
const URL_PASSWORD = /(:\/\/[^\s/:@"]*:)[^\s/@"]+@/g
