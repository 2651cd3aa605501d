// Prints what a shell reads to complete the command line: commands, subcommands and options of this version.
// The scripts call nothing, so that a completion is there at once and without a key.
import type { Command } from 'commander'
import { type Cli, command } from '../cli.ts'
import { usageError } from '../failure.ts'

/** A command, by the words that lead to it, with what may follow. */
interface Node {
  readonly path: readonly string[]
  readonly commands: readonly Word[]
  readonly options: readonly (Word & { readonly takesValue: boolean })[]
}

interface Word {
  readonly name: string
  readonly about: string
}

const SHELLS: Readonly<Record<string, (nodes: readonly Node[]) => string>> = { bash, zsh, fish }

const HOW = `
Of an installed program, in every shell:
  bash  echo 'source <(tradepost completion bash)' >> ~/.bashrc
  zsh   echo 'source <(tradepost completion zsh)' >> ~/.zshrc     (after compinit)
  fish  tradepost completion fish > ~/.config/fish/completions/tradepost.fish`

export function addCompletion({ program, environment }: Cli): void {
  command(
    program,
    'completion <shell>',
    'print the completion of the command line for bash, zsh or fish',
  )
    .addHelpText('after', HOW)
    .action((shell: string) => {
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
      if (script === undefined)
        throw usageError(`There is no completion for ${shell}.`, 'One of: bash, zsh, fish')
      environment.terminal.out(script(nodesOf(program)))
    })
}

function nodesOf(program: Command, path: readonly string[] = []): Node[] {
  const commands = program.commands.map((one) => ({ name: one.name(), about: one.description() }))
  const options = [...program.options, ...program.createHelp().visibleOptions(program)]
    .filter((option, i, all) => all.findIndex(({ flags }) => flags === option.flags) === i)
    .flatMap(({ long, description, required, optional }) =>
      long ? [{ name: long, about: description, takesValue: required || optional }] : [],
    )
  const own = { path, commands, options }
  return [own, ...program.commands.flatMap((one) => nodesOf(one, [...path, one.name()]))]
}

const wordsOf = ({ commands, options }: Node): string =>
  [...commands, ...options].map(({ name }) => name).join(' ')

/** The words that were typed so far are followed from command to command; other words are arguments. */
function bash(nodes: readonly Node[]): string {
  const cases = nodes.map((node) => `    '${node.path.join(' ')}') words='${wordsOf(node)}' ;;`)
  const paths = nodes.slice(1).map(({ path }) => `'${path.join(' ')}'`)
  return `_tradepost() {
  local word path='' words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${path:+$path }\${COMP_WORDS[i]}"
    case "$word" in
      ${paths.join('|')}) path="$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  # Not mapfile: the bash of macOS is of 2007.
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tradepost tradepost`
}

function zsh(nodes: readonly Node[]): string {
  const described = ({ name, about }: Word): string =>
    quoted(`${name.replaceAll(':', '\\:')}:${about}`)
  const cases = nodes.map(
    (node) =>
      `    ${quoted(node.path.join(' '))}) words_=(${[...node.commands, ...node.options].map(described).join(' ')}) ;;`,
  )
  const paths = nodes.slice(1).map(({ path }) => quoted(path.join(' ')))
  return `#compdef tradepost
_tradepost() {
  local word path_='' i
  local -a words_
  for ((i = 2; i < CURRENT; i++)); do
    word="\${path_:+$path_ }\${words[i]}"
    case "$word" in
      ${paths.join('|')}) path_="$word" ;;
    esac
  done
  case "$path_" in
${cases.join('\n')}
  esac
  _describe -o tradepost words_ || _files
}
compdef _tradepost tradepost`
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, options }) => {
    const condition = quoted(`__tradepost_is_at ${path.join(' ')}`.trim())
    return [
      ...commands.map(
        ({ name, about }) =>
          `complete -c tradepost -f -n ${condition} -a ${name} -d ${quoted(about)}`,
      ),
      ...options.map(
        ({ name, about, takesValue }) =>
          `complete -c tradepost -n ${condition} -l ${name.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(about)}`,
      ),
    ]
  })
  const paths = nodes.slice(1).map(({ path }) => quoted(path.join(' ')))
  return `function __tradepost_is_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${paths.join(' ')}; and set at "$next"
  end
  test "$at" = "$argv"
end
${lines.join('\n')}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
