// The whole command line: its commands, its help and its exit codes.
import { Command, CommanderError } from 'commander'
import { type CommonOptions, createCli } from './cli.ts'
import { addBuy } from './commands/buy.ts'
import { addCompletion } from './commands/completion.ts'
import { addDeposits } from './commands/deposits.ts'
import { addEvents } from './commands/events.ts'
import { addKey } from './commands/key.ts'
import { addLimits } from './commands/limits.ts'
import { addListen } from './commands/listen.ts'
import { addListings } from './commands/listings.ts'
import { addLogin } from './commands/login.ts'
import { addMarketOrders } from './commands/market-orders.ts'
import { addOrders } from './commands/orders.ts'
import { addPayouts } from './commands/payouts.ts'
import { addPrices } from './commands/prices.ts'
import { addSearch } from './commands/search.ts'
import { addStatement } from './commands/statement.ts'
import { addStatus } from './commands/status.ts'
import { addTrades } from './commands/trades.ts'
import { addTrigger } from './commands/trigger.ts'
import { addWatch } from './commands/watch.ts'
import type { Environment, ProcessEnvironment } from './environment.ts'
import { EXIT, type ExitCode, reportFailure, usageError } from './failure.ts'
import { nearest } from './nearest.ts'
import { VERSION } from './sdk.ts'
import { profileWords } from './shell-words.ts'

/** Runs one command line, without the program's name, and returns its exit code. */
export async function runProgram(
  args: readonly string[],
  ofProcess: ProcessEnvironment,
): Promise<ExitCode> {
  const { startedAs } = ofProcess
  let given: CommonOptions = {}
  const environment: Environment = {
    ...ofProcess,
    commandLine: (words) => `${startedAs} ${words}${profileWords(given)}`,
  }
  const program = new Command(startedAs)
    .description('Tradepost in a terminal.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpCommand(true)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => environment.terminal.out(text.trimEnd()),
      writeErr: (text) => environment.terminal.note(text.trimEnd()),
      // Printed with all other failures.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(environment.terminal.columns, 100),
      getErrHelpWidth: () => Math.min(environment.terminal.columns, 100),
    })
    .addHelpText('after', afterHelp(startedAs))
    .hook('preAction', (_program, action) => {
      given = action.opts()
    })
  const cli = createCli(program, environment)
  addLogin(cli)
  addListen(cli)
  addTrigger(cli)
  addEvents(cli)
  addTrades(cli)
  addDeposits(cli)
  addPayouts(cli)
  addSearch(cli)
  addPrices(cli)
  addListings(cli)
  addWatch(cli)
  addBuy(cli)
  addMarketOrders(cli)
  addOrders(cli)
  addKey(cli)
  addLimits(cli)
  addStatement(cli)
  addStatus(cli)
  addCompletion(cli)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    // Help and version are printed already.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage
    const failure = error instanceof CommanderError ? wrongUsage(error, program, args) : error
    const isJson = args.includes('--json')
    return reportFailure(failure, environment, { baseUrl: cli.baseUrl(), isJson })
  }
}

/** What the parser refuses, with what was probably meant. */
function wrongUsage({ code, message }: CommanderError, program: Command, args: readonly string[]) {
  let command = program
  for (const arg of args) command = command.commands.find((one) => one.name() === arg) ?? command
  const [, typed = ''] = /'([^' ]+)'/.exec(message) ?? []
  const names =
    code === 'commander.unknownOption'
      ? command.options.flatMap(({ long }) => long ?? [])
      : command.commands.map((one) => one.name())
  const meant = UNKNOWN.has(code) ? nearest(typed, names) : null
  return usageError(
    message.replace(/^error: /, ''),
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    '--help lists what there is.',
  )
}

const UNKNOWN: ReadonlySet<string> = new Set([
  'commander.unknownCommand',
  'commander.unknownOption',
])

const afterHelp = (startedAs: string): string => `
First steps:
  ${startedAs} login --demo                                    the demo merchant of a service started here
  ${startedAs} listen --forward-to http://localhost:4000/hook  events, signed, to your program
  ${startedAs} trigger trade.completed                         cause one, in the sandbox

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by the service, 4 no answer of the service,
5 no key or an invalid key, 130 interrupted.

Environment: TRADEPOST_API_KEY with TRADEPOST_URL instead of a profile, TRADEPOST_INTERFACE=partner when
that key is a partner's, TRADEPOST_PROFILE, TRADEPOST_SANDBOX_URL, NO_COLOR.`
