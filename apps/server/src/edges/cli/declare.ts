// How commands are declared, each in the file that implements it, read by commander, and shown in the help.
import { isEmail } from '@tradepost/contract'
import {
  Argument,
  Command,
  type CommanderError,
  Help,
  InvalidArgumentError,
  Option,
} from 'commander'
import { isUuid } from '#kernel/id'
import type { Context } from './context.ts'

declare const gives: unique symbol
/** An argument whose value is a `Value`. */
type ArgumentOf<Value> = Argument & { readonly [gives]: Value }
/** An option, with the field that it gives to the options of its command. */
type OptionOf<Field> = Option & { readonly [gives]: Field }
type Part = ArgumentOf<unknown> | OptionOf<unknown>

type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name
type NameOf<Flags> = Flags extends `--${infer Name} <${string}`
  ? Camel<Name>
  : Flags extends `--${infer Name}`
    ? Camel<Name>
    : never
/** Without a value it is a switch. */
type FieldOf<Flags, Value> = {
  readonly [Name in NameOf<Flags> & string]?: Flags extends `${string}<${string}` ? Value : true
}
type Arguments<Parts> = Parts extends readonly [infer First, ...infer Rest]
  ? First extends Argument & ArgumentOf<infer Value>
    ? [Value, ...Arguments<Rest>]
    : Arguments<Rest>
  : []
type Fields<One> = One extends Option & OptionOf<infer Field> ? (field: Field) => void : never
type Options<Parts extends readonly unknown[]> =
  Fields<Parts[number]> extends (field: infer All) => void ? All : never

/** How a value is read: by a function, or it is one of some words. */
type Reader<Value> = ((text: string) => Value) | readonly Value[]

export function argument<const Name extends string, const Value = string>(
  name: Name,
  text = '',
  reader?: Reader<Value>,
): ArgumentOf<Name extends `[${string}` ? Value | undefined : Value> {
  return reading(new Argument(name, text), reader) as never
}

export function option<const Flags extends string, const Value = string>(
  flags: Flags,
  text: string,
  reader?: Reader<Value>,
): OptionOf<FieldOf<Flags, Value>>
export function option<const Flags extends string, const Value>(
  flags: Flags,
  text: string,
  reader: Reader<Value>,
  preset: Value,
): OptionOf<Required<FieldOf<Flags, Value>>>
export function option(flags: string, text: string, reader?: Reader<unknown>, preset?: unknown) {
  return reading(new Option(flags, text).default(preset), reader) as never
}

/** An option without which its command is refused. */
export const needs = <const Flags extends string, const Value = string>(
  flags: Flags,
  text: string,
  reader?: Reader<Value>,
): OptionOf<Required<FieldOf<Flags, Value>>> =>
  option(flags, text, reader).makeOptionMandatory() as never

function reading<One extends Argument | Option>(one: One, reader?: Reader<unknown>): One {
  if (typeof reader === 'function') one.argParser(reader)
  else if (reader !== undefined) one.choices(reader as readonly string[])
  return one
}

export interface Declared {
  readonly name: string
  readonly sentence: string
  readonly parts: readonly Part[]
  readonly act: (context: Context, ...given: never[]) => Promise<string>
}

/**
 * The act is given the arguments and, after them, the options. Of `cases [list]`, the second word may be left
 * out.
 */
export const command = <const Parts extends readonly Part[]>(
  name: string,
  sentence: string,
  ...parts: Parts
) => ({
  does: (
    act: (context: Context, ...given: [...Arguments<Parts>, Options<Parts>]) => Promise<string>,
  ): Declared => ({ name, sentence, parts, act: act as never }),
})

/** Commands below a heading of `help`. */
export interface Section {
  readonly heading: string
  readonly commands: readonly Declared[]
}

/** One command line while it is read: the command that it names, and what is said to it. */
export interface Line {
  readonly program: Command
  /** What may be left out after a first word. */
  readonly leftOut: Map<string, string>
  command: Command
  said: string
}

const WIDTH = 110
const AFTER_ALL = `
help <command> shows what a command takes. Exit codes: 0 done, 1 refused, 2 wrong arguments.`

export function createLine(): Line {
  const program = new Command()
  const line: Line = { program, leftOut: new Map(), command: program, said: '' }
  program
    .addHelpOption(new Option('-h, --help').hideHelp())
    .helpCommand(false)
    .configureHelp({ commandUsage: usageOf, subcommandTerm: termOf, formatHelp: withAllCommands })
    .configureOutput({
      writeOut: (text) => {
        line.said += text
      },
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => WIDTH,
    })
    .addHelpText('after', AFTER_ALL)
  stopAt(line, program)
  return line
}

/** Instead of ending the process, commander throws, and `line` knows at which command. */
const stopAt = (line: Line, command: Command): Command =>
  command.exitOverride((error) => {
    line.command = command
    throw error
  })

/** `run` is called with the command's act and what it is given. */
export function addSection(
  line: Line,
  { heading, commands }: Section,
  run: (act: Declared['act'], given: readonly unknown[]) => Promise<string>,
): void {
  const add = (above: Command, word: string): Command =>
    stopAt(line, above.command(word).helpGroup(heading))
  const find = (above: Command, word: string): Command =>
    above.commands.find((one) => one.name() === word) ?? add(above, word)
  for (const { name, sentence, parts, act } of commands) {
    const [last = '', ...groups] = name.split(' ').reverse()
    const word = last.replace(/^\[(.*)\]$/, '$1')
    if (word !== last) line.leftOut.set(groups.join(' '), word)
    const made = add(groups.reduce(find, line.program), word).description(sentence)
    for (const part of parts) {
      if (part instanceof Option) made.addOption(part)
      else made.addArgument(part)
    }
    made.action(async (...given) => {
      line.command = made
      line.said = await run(act, given.slice(0, -1))
    })
  }
}

/** `cases --json` is `cases list --json`, and `help cases show` is `cases show --help`. */
export function spelledOut(args: readonly string[], { leftOut }: Line): string[] {
  const given = args[0] === 'help' ? [...args.slice(1), '--help'] : [...args]
  const [first = '', second = '--'] = given
  const word = /^-(?!h$|-help$)/.test(second) ? leftOut.get(first) : undefined
  return word === undefined ? given : given.toSpliced(1, 0, word)
}

export const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trimStart()

const termOf = (command: Command): string =>
  [
    pathOf(command),
    ...command.registeredArguments.map((one) =>
      one.required ? `<${one.name()}>` : `[${one.name()}]`,
    ),
  ].join(' ')

function usageOf(command: Command): string {
  const needed = command.options.filter(({ mandatory }) => mandatory)
  return [
    ...['npm run ops --', termOf(command), command.commands.length > 0 && '<command>'],
    ...needed.map(({ flags }) => flags),
    command.options.length > needed.length && '[options]',
  ]
    .filter(Boolean)
    .join(' ')
}

/** The page of all commands shows those of two words, too; what is suggested for a word are words. */
const withAllCommands = (command: Command, helper: Help): string =>
  Help.prototype.formatHelp.call(
    helper,
    command,
    Object.assign(helper, { visibleCommands: commandsBelow }),
  )

const commandsBelow = ({ commands }: Command): Command[] =>
  commands.flatMap((one) => (one.commands.length === 0 ? [one] : commandsBelow(one)))

/** What commander refuses, in a sentence. */
export function problemOf({ code, message }: CommanderError, command: Command): string {
  const isAll = command.parent === null
  if (code === 'commander.help')
    return isAll ? 'name a command' : `${pathOf(command)} needs one of its commands`
  // A mistyped option comes before one that is missing for it.
  const unknown = OF_OPTIONS.has(code) && command.args.find((each) => /^-(?![\d.]*$)/.test(each))
  if (!unknown) return message.replace(/^error: /, '').replaceAll('\n', ' ')
  if (isAll) return `name a command before ${unknown}`
  const own = command.options.map(({ long }) => long)
  const problem = `${pathOf(command)} has no option ${unknown}: it has ${own.join(', ') || 'none'}`
  // No option begins with one dash: it is an argument, or a mistyped option.
  const isText = command.registeredArguments.length > 0 && !unknown.startsWith('--')
  return isText ? `${problem}. A text that begins with - goes last, after --` : problem
}

const OF_OPTIONS: ReadonlySet<string> = new Set([
  'commander.unknownOption',
  'commander.missingMandatoryOptionValue',
])

export const wrong = (problem: string): never => {
  throw new InvalidArgumentError(problem)
}

export const words = (text: string): string => text.trim() || wrong('It is empty.')

export const email = (text: string): string =>
  isEmail(text) ? text : wrong('It is no e-mail address.')

export const uuid = (text: string): string => (isUuid(text) ? text : wrong('It is no id.'))

export function time(text: string): Date {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? wrong('It is a time such as 2026-11-21T08:00:00Z.') : at
}

export const AS_JSON = option('--json', 'the answer as JSON')
export const MERCHANT = option('--merchant <id or e-mail>', 'the merchant, where there are several')
export const ANY_ACCOUNT = [
  MERCHANT,
  option(
    '--account <id, e-mail or name>',
    'instead: a merchant, a partner or a child, which its apiKeyId names too',
  ),
] as const

const REASONED = ['--reason <text>', 'why, which the audit log keeps', words] as const
export const REASON = needs(...REASONED)
/** Where it may be left out. */
export const WHY = option(...REASONED)
