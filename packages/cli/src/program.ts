// The whole command line: its commands, its help and its exit codes.
import { Command, CommanderError } from 'commander'
import { createCli } from './cli.ts'
import { addBuy } from './commands/buy.ts'
import { addDeposits } from './commands/deposits.ts'
import { addEvents } from './commands/events.ts'
import { addLimits } from './commands/limits.ts'
import { addListen } from './commands/listen.ts'
import { addListings } from './commands/listings.ts'
import { addLogin } from './commands/login.ts'
import { addOrders } from './commands/orders.ts'
import { addPayouts } from './commands/payouts.ts'
import { addSearch } from './commands/search.ts'
import { addTrades } from './commands/trades.ts'
import { addTrigger } from './commands/trigger.ts'
import type { Environment } from './environment.ts'
import { EXIT, type ExitCode, tellFailure } from './failure.ts'
import { VERSION } from './sdk.ts'

/** Runs one command line, without the program's name, and returns its exit code. */
export async function runProgram(
  args: readonly string[],
  environment: Environment,
): Promise<ExitCode> {
  const program = new Command('tradepost')
    .description('Tradepost in a terminal.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpCommand(true)
    .exitOverride()
    .showHelpAfterError('(--help lists what there is)')
    .configureOutput({
      writeOut: (text) => environment.terminal.out(text.trimEnd()),
      writeErr: (text) => environment.terminal.note(text.trimEnd()),
      getOutHelpWidth: () => Math.min(environment.terminal.columns, 100),
      getErrHelpWidth: () => Math.min(environment.terminal.columns, 100),
    })
    .addHelpText('after', AFTER_HELP)
  const cli = createCli(program, environment)
  addLogin(cli)
  addListen(cli)
  addTrigger(cli)
  addEvents(cli)
  addTrades(cli)
  addDeposits(cli)
  addPayouts(cli)
  addSearch(cli)
  addListings(cli)
  addBuy(cli)
  addOrders(cli)
  addLimits(cli)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    // Commander has printed the problem, the help or the version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    return tellFailure(error, environment, cli.baseUrl())
  }
}

const AFTER_HELP = `
First steps:
  tradepost login --demo                                    the demo merchant of a service started here
  tradepost listen --forward-to http://localhost:4000/hook  events, signed, to your program
  tradepost trigger trade.completed                         cause one, in the sandbox

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by the service, 4 no answer of the service,
5 no key or an invalid key, 130 interrupted.

Environment: TRADEPOST_API_KEY with TRADEPOST_URL instead of a profile, TRADEPOST_INTERFACE=partner when
that key is a partner's, TRADEPOST_PROFILE, TRADEPOST_SANDBOX_URL, NO_COLOR.`
