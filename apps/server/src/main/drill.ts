// Asks the counterparts of the settings what they answer: `npm run drill -- <part>`, for an operator with
// real accounts.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { CannotStart } from '#infra/process/cannot-start'
import { systemClock } from '#infra/process/clock'
import { endWhenUnread } from '#infra/process/closed-output'
import { runDrill } from '../edges/drill/run.ts'
import { drillParts } from './drill-parts.ts'

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = once(terminal, 'close').then(() => '')
    return await Promise.race([terminal.question(question), ended])
  } finally {
    terminal.close()
  }
}

endWhenUnread(process.stdout)
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
try {
  process.exitCode = await runDrill(process.argv.slice(2), {
    ...drillParts(systemClock),
    signal: stop.signal,
    ask,
    say: (line) => void process.stdout.write(`${line}\n`),
    writeReport: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
  })
} catch (error) {
  // What the database says, as that it has no tables, has a code; anything else is a bug of ours.
  const { code } = error as { readonly code?: unknown }
  if (!(error instanceof CannotStart) && typeof code !== 'string') throw error
  process.stderr.write(`The drill cannot begin: ${(error as Error).message}\n`)
  process.exitCode = 2
}
