// Failures: an exit code for scripts, and a message that says what to do.

import type { Environment } from './environment.ts'
import { ERROR_MESSAGES, TradepostError, TransportError } from './sdk.ts'
import { clean, jsonText, money } from './text.ts'

export const EXIT = {
  ok: 0,
  /** Any other failure. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** Refused by the service. */
  refused: 3,
  /** No response of the service: the request may or may not have been executed. */
  unanswered: 4,
  /** There is no key, or the service refuses it. */
  notLoggedIn: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

interface CommandErrorDetails {
  /** The key of the service that it stands for. */
  readonly key?: string
  /** The result that was printed says it too. */
  readonly isInResult?: boolean
}

/** An expected failure. */
export class CommandError extends Error {
  readonly exitCode: ExitCode
  /** What to do about it, one line each. */
  readonly hints: readonly string[]
  readonly details: CommandErrorDetails

  constructor(
    message: string,
    exitCode: ExitCode = EXIT.failed,
    hints: readonly string[] = [],
    details: CommandErrorDetails = {},
  ) {
    super(message)
    this.exitCode = exitCode
    this.hints = hints
    this.details = details
  }
}

export const usageError = (message: string, ...hints: string[]): CommandError =>
  new CommandError(message, EXIT.usage, hints)

const KEY_ERRORS: ReadonlySet<string> = new Set([
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
])

interface Failure {
  readonly exitCode: ExitCode
  readonly message: string
  readonly hints: readonly string[]
  /** For programs: the service's own envelope where it answered. */
  readonly envelope?: {
    readonly requestId?: string
    readonly error: { readonly key: string; readonly message: string }
  }
}

/** Prints the failure, with --json as JSON in the place of the result, and returns the exit code. */
export function reportFailure(
  error: unknown,
  environment: Environment,
  { baseUrl, isJson }: { readonly baseUrl: string | null; readonly isJson: boolean },
): ExitCode {
  const { terminal, signal } = environment
  if (signal.aborted) return EXIT.interrupted
  const { exitCode, message, hints, envelope } = failureOf(error, environment, baseUrl)
  if (!isJson) {
    terminal.note(`${terminal.notePaint.bad('error')}  ${clean(message)}`)
    for (const hint of hints) terminal.note(`       ${clean(hint)}`)
  } else if (!(error instanceof CommandError && error.details.isInResult)) {
    const shown = envelope ?? { error: { message, ...(hints.length > 0 && { hints }) } }
    terminal.out(jsonText({ success: false, exitCode, ...shown }))
  }
  return exitCode
}

function failureOf(error: unknown, environment: Environment, baseUrl: string | null): Failure {
  if (error instanceof CommandError) {
    const { exitCode, message, hints, details } = error
    const { key } = details
    if (key === undefined) return { exitCode, message, hints }
    const said = { key, message: withoutKey(message, key), ...(hints.length > 0 && { hints }) }
    return { exitCode, message, hints, envelope: { error: said } }
  }
  if (error instanceof TradepostError) {
    const { code, key, meta, requestId } = error
    const said = { code, key, message: withoutKey(error.message, key), ...(meta && { meta }) }
    return {
      exitCode: KEY_ERRORS.has(key) ? EXIT.notLoggedIn : EXIT.refused,
      message: messageOf(error),
      hints: [...adviceOf(error, environment), ...pageOf(key, baseUrl), `request     ${requestId}`],
      envelope: { requestId, error: said },
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof TransportError)) return { exitCode: EXIT.failed, message, hints: [] }
  const whose = baseUrl === null ? '' : ` at ${baseUrl}`
  return { exitCode: EXIT.unanswered, message, hints: [`Is the service${whose} running?`] }
}

const withoutKey = (message: string, key: string): string =>
  message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message

/** What would be refused with these keys, in the words in which the service refuses. */
export function refusedBefore(
  keys: readonly string[],
  baseUrl: string | null,
  advice: readonly string[] = [],
): CommandError {
  const [first = 'INTERNAL_ERROR', ...others] = keys
  const sentences = others.map(sentenceOf)
  const hints = [...sentences, ...advice, ...keys.flatMap((key) => pageOf(key, baseUrl))]
  return new CommandError(sentenceOf(first), EXIT.refused, hints, { key: first })
}

/** Each key in the words of the service, and its page. */
export const explained = (keys: readonly string[], baseUrl: string | null): string[] =>
  keys.flatMap((key) => [sentenceOf(key), ...pageOf(key, baseUrl)])

const sentenceOf = (key: string): string => {
  const message = (ERROR_MESSAGES as Readonly<Record<string, string>>)[key]
  return message === undefined ? key : `${key}: ${message}`
}

/** Of several problems of a request the first is the message, the others are below it. */
/** What the service says of an id that it does not know: a text that cannot be one is refused as invalid. */
export const isNoSuchId = (error: unknown, notFound: TradepostError['key']): boolean =>
  error instanceof TradepostError && (error.key === notFound || error.key === 'VALIDATION_FAILED')

function messageOf(error: TradepostError): string {
  const [first] = error.key === 'VALIDATION_FAILED' ? error.meta.errors : []
  return first === undefined ? error.message : problemOf(first)
}

/** In the words of a command: it has no path and no body, but names that are in its help. */
const problemOf = ({ in: place, pointer, message }: Problem): string =>
  `${pointer.slice(1) || place} ${message}`

interface Problem {
  readonly in: string
  readonly pointer: string
  readonly message: string
}

function adviceOf(error: TradepostError, { commandLine }: Environment): string[] {
  switch (error.key) {
    case 'VALIDATION_FAILED':
      return error.meta.errors.slice(1).map(problemOf)
    case 'INSUFFICIENT_BALANCE': {
      const { requiredCents, availableCents } = error.meta
      return [
        `It takes ${money(requiredCents / 100)}, the wallet has ${money(availableCents / 100)}.`,
      ]
    }
    case 'PRICE_MISMATCH':
      return [`The price is ${money(error.meta.currentPrice)} now.`]
    case 'RATE_LIMITED':
      return [`Try again in ${error.meta.retryAfterSeconds} s.`]
    default:
      return KEY_ERRORS.has(error.key)
        ? [`Log in again: ${commandLine('login')}, or correct TRADEPOST_API_KEY`]
        : []
  }
}

const pageOf = (key: string, baseUrl: string | null): string[] =>
  baseUrl === null ? [] : [`what to do  ${baseUrl}/docs/errors#${key}`]
