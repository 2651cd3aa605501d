// The operator's command line: `npm run ops -- <command>`. It reads arguments and prints answers; what it
// does is in operations.
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { systemClock } from '#infra/process/clock'
import { endWhenUnread } from '#infra/process/closed-output'
import { runOps } from '../edges/cli/run.ts'
import { opsParts } from './ops-parts.ts'

/** On stderr, so that an answer as JSON can be piped. Empty when the input ends. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = once(terminal, 'close').then(() => '')
    return await Promise.race([terminal.question(question), ended])
  } finally {
    terminal.close()
  }
}

async function readInput(): Promise<string | null> {
  return process.stdin.isTTY ? null : text(process.stdin)
}

endWhenUnread(process.stdout)
const args = process.argv.slice(2)
const { code, stdout, stderr } = await runOps(args, { ...opsParts(systemClock), ask, readInput })
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code
