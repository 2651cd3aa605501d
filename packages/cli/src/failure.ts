// Failures: an exit code for scripts, and a message that says what to do.

import type { Environment } from './environment.ts'
import { TradepostError, TransportError } from './sdk.ts'
import { clean, money } from './text.ts'

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

/** An expected failure. */
export class CommandError extends Error {
  readonly exitCode: ExitCode
  /** What to do about it, one line each. */
  readonly hints: readonly string[]

  constructor(message: string, exitCode: ExitCode = EXIT.failed, hints: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.hints = hints
  }
}

export const usageError = (message: string, ...hints: string[]): CommandError =>
  new CommandError(message, EXIT.usage, hints)

const KEY_ERRORS: ReadonlySet<string> = new Set([
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
])

/** Prints the failure and returns the exit code. */
export function tellFailure(
  error: unknown,
  environment: Environment,
  baseUrl: string | null,
): ExitCode {
  const { terminal, signal } = environment
  const paint = terminal.notePaint
  if (signal.aborted) return EXIT.interrupted
  const print = (message: string, hints: readonly string[]): void => {
    terminal.note(`${paint.bad('error')}  ${message}`)
    for (const hint of hints) terminal.note(`       ${hint}`)
  }
  if (error instanceof CommandError) {
    print(error.message, error.hints)
    return error.exitCode
  }
  if (error instanceof TradepostError) {
    print(clean(messageOf(error)), [...adviceOf(error), ...referencesOf(error, baseUrl)])
    return KEY_ERRORS.has(error.key) ? EXIT.notLoggedIn : EXIT.refused
  }
  if (error instanceof TransportError) {
    print(clean(error.message), [
      baseUrl === null ? 'Is the service running?' : `Is the service at ${baseUrl} running?`,
    ])
    return EXIT.unanswered
  }
  print(error instanceof Error ? clean(error.message) : clean(String(error)), [])
  return EXIT.failed
}

/** Of several problems of a request the first is the message, the others are below it. */
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

function adviceOf(error: TradepostError): string[] {
  switch (error.key) {
    case 'VALIDATION_FAILED':
      return error.meta.errors.slice(1).map((one) => clean(problemOf(one)))
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
      return KEY_ERRORS.has(error.key) ? ['Log in again: tradepost login'] : []
  }
}

const referencesOf = (error: TradepostError, baseUrl: string | null): string[] => [
  ...(baseUrl === null ? [] : [`what to do  ${baseUrl}/docs/errors#${clean(error.key)}`]),
  `request     ${clean(error.requestId)}`,
]
