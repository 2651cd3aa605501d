// The command line of the project's own long commands (`npm test`, `npm run soak`, `npm run attack`): each
// says what it takes in one table, from which come what it reads, its help and what it refuses.
import { parseArgs } from 'node:util'
import { endWhenUnread } from '../apps/server/src/infra/process/closed-output.ts'

export interface Command<Options extends OptionTable = OptionTable> {
  /** As one types it: `npm run soak`. */
  readonly name: string
  /** A sentence. */
  readonly about: string
  /** The arguments that are no options, for the help: `[file or glob …]`. Without it there are none. */
  readonly rest?: string
  readonly options: Options
}

export type OptionTable = Readonly<Record<string, Option>>

export type Option =
  | { readonly kind: 'flag'; readonly about: string }
  | {
      readonly kind: 'text'
      /** What it is, for the help: `folder`. */
      readonly of: string
      readonly about: string
      readonly byDefault?: string
    }
  | {
      /** `number`: with decimals. */
      readonly kind: 'whole' | 'number'
      readonly about: string
      readonly byDefault?: number
      readonly from: number
      readonly to?: number
    }

type ValueOf<O extends Option> = O extends { kind: 'flag' }
  ? boolean
  :
      | (O extends { kind: 'text' } ? string : number)
      | (O extends { byDefault: unknown } ? never : undefined)

export type Values<Options extends OptionTable> = {
  readonly [Name in keyof Options]: ValueOf<Options[Name]>
}

export interface Given<Options extends OptionTable> {
  readonly values: Values<Options>
  readonly rest: readonly string[]
}

const HELP: Option = { kind: 'flag', about: 'shows this' }

/**
 * Reads the arguments of this process. `--help` prints the help and ends with 0; what is not in the table, or
 * not of its kind, is refused in a sentence on stderr, and the process ends with 2. From then on it ends when
 * its output is read no further.
 */
export function readOptions<const Options extends OptionTable>(
  command: Command<Options>,
  args: readonly string[] = process.argv.slice(2),
): Given<Options> {
  endWhenUnread(process.stdout)
  const given = parse(command, args)
  if ('help' in given) {
    process.stdout.write(given.help)
    process.exit(0)
  }
  if ('refusal' in given) refuseUse(given.refusal)
  return given
}

/** For what a table cannot say, such as an option that needs another. */
export function refuseUse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

export function parse<const Options extends OptionTable>(
  command: Command<Options>,
  args: readonly string[],
): Given<Options> | { readonly help: string } | { readonly refusal: string } {
  const table: OptionTable = { ...command.options, help: HELP }
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(table).map(([name, { kind }]) => [
        name,
        { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    values[name] = option.kind === 'flag' ? false : option.byDefault
  }
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      rest.push(token.value)
      continue
    }
    const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined
    if (!option)
      return { refusal: `${command.name} has no option ${token.rawName}. ${known(table)}` }
    const read = readValue(option, token.value)
    if (read === undefined) return { refusal: `${token.rawName} ${whatItTakes(option)}.` }
    values[token.name] = read
  }
  if (values.help) return { help: helpOf(command, table) }
  if (rest.length > 0 && command.rest === undefined) {
    return { refusal: `${command.name} does not take “${rest[0]}”. ${known(table)}` }
  }
  return { values: values as Values<Options>, rest }
}

/** Undefined: not of its kind. */
function readValue(
  option: Option,
  given: string | undefined,
): boolean | string | number | undefined {
  if (option.kind === 'flag') return given === undefined ? true : undefined
  // An option in the place of a value: the value was forgotten.
  if (given === undefined || given === '' || given.startsWith('--')) return undefined
  if (option.kind === 'text') return given
  const number = Number(given)
  const isOfKind = option.kind === 'whole' ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isOfKind && number >= option.from && number <= (option.to ?? Infinity) ? number : undefined
}

function whatItTakes(option: Option): string {
  if (option.kind === 'flag') return 'takes no value'
  if (option.kind === 'text') return `needs a ${option.of}`
  const kind = option.kind === 'whole' ? 'a whole number' : 'a number'
  return option.to === undefined
    ? `needs ${kind} of at least ${option.from}`
    : `needs ${kind} from ${option.from} to ${option.to}`
}

const known = (table: OptionTable): string =>
  `Its options: ${Object.keys(table)
    .map((name) => `--${name}`)
    .join(', ')}.`

function helpOf({ name, about, rest }: Command, table: OptionTable): string {
  const rows = Object.entries(table).map(
    ([option, of]) => [usageOf(option, of), aboutOf(of)] as const,
  )
  const width = Math.max(...rows.map(([usage]) => usage.length))
  const isScript = name.startsWith('npm ')
  return [
    `${name}${isScript ? ' --' : ''} [options]${rest ? ` ${rest}` : ''}`,
    about,
    '',
    ...rows.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}`),
    '',
  ].join('\n')
}

const usageOf = (name: string, option: Option): string =>
  option.kind === 'flag'
    ? `--${name}`
    : `--${name} <${option.kind === 'text' ? option.of : 'number'}>`

const aboutOf = (option: Option): string =>
  option.kind === 'flag' || option.byDefault === undefined || option.byDefault === ''
    ? option.about
    : `${option.about} (${option.byDefault})`
