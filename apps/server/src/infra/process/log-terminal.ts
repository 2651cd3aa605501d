// Lines of the log as a person at a terminal reads them: the time of day, the sentence, the fields.
import { stripVTControlCharacters } from 'node:util'

/** A longer value is cut: the whole is in the JSON of a log that is kept. */
const MAX_VALUE = 80
const MAX_STACK_LINES = 6
/** The same on every line of a terminal, or shown in its own place. */
const LEFT_OUT = new Set([
  'level',
  'time',
  'msg',
  'event',
  'role',
  'pid',
  'hostname',
  'err',
  'error',
])

export interface TerminalOptions {
  readonly hasColors: boolean
}

/** One line of JSON as text for a terminal; a line that is no JSON stays as it is. */
export function terminalText(line: string, { hasColors }: TerminalOptions): string {
  let fields: Readonly<Record<string, unknown>>
  try {
    fields = JSON.parse(line)
  } catch {
    return line
  }
  const paint = (code: number, text: string): string =>
    hasColors && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
  const level = String(fields.level ?? '')
  const { err, error = err } = fields
  const values = Object.entries(fields)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${valueText(value)}`)
  const parts = [
    paint(DIM, timeOfDay(fields.time)),
    paint(COLORS[level] ?? 0, level.padEnd(5)),
    `${plain(String(fields.msg ?? ''))}${error === undefined ? '' : `: ${errorText(error)}`}`,
    paint(DIM, values.join(' ')),
  ]
  const stack = level === 'error' ? stackOf(error) : ''
  return `${parts.filter((part) => part !== '').join(' ')}\n${paint(DIM, stack)}`
}

const DIM = 2
const COLORS: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 }

const timeOfDay = (time: unknown): string => {
  const at = new Date(String(time))
  return Number.isNaN(at.getTime()) ? '' : at.toTimeString().slice(0, 8)
}

const valueText = (value: unknown): string => {
  const isWord = typeof value === 'string' && /^[^\s"]+$/.test(value)
  const text = plain(isWord ? value : JSON.stringify(value))
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

const errorText = (error: unknown): string => {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly message?: unknown
  }
  return valueText(message ?? error).replace(/^"|"$/g, '')
}

/** Without its first line, which is the error's message. */
const stackOf = (error: unknown): string => {
  const { stack } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly stack?: unknown
  }
  if (typeof stack !== 'string') return ''
  const frames = stack.split('\n').filter((frame) => /^\s+at /.test(frame))
  return frames
    .slice(0, MAX_STACK_LINES)
    .map((frame) => `${plain(frame)}\n`)
    .join('')
}

/** What a supplier or a caller wrote must not move the cursor or change the terminal. */
const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
