// Batches of withdrawals, from a file.
import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { Command } from 'commander'
import { type CommonOptions, command, show } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import {
  type CreatePayoutBatchBody,
  type PayoutBatch,
  readPayoutBatchCsv,
  type Tradepost,
  TradepostError,
} from '../sdk.ts'
import { shellWord } from '../shell-words.ts'
import { detailsText } from '../table.ts'
import { clean, moment, money } from '../text.ts'
import { confirm } from './confirm.ts'

interface BatchOptions extends CommonOptions {
  readonly file: string
  readonly externalId?: string
  readonly yes?: boolean
}

type Line = CreatePayoutBatchBody['withdrawals'][number]

export function addPayoutBatches(
  payouts: Command,
  {
    environment,
    of,
  }: {
    readonly environment: Environment
    readonly of: (options: CommonOptions) => Tradepost['payouts']
  },
): void {
  command(payouts, 'batch', 'withdraw many times, all of them or none')
    .requiredOption('--file <path>', 'a .json list of withdrawals, or a .csv')
    .option('--external-id <id>', 'your reference of the batch; the same one never pays twice')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nA CSV has the columns externalId, chain, token, destination, amount (US dollars) and, if you\nlike, forUser. Without --external-id one is made and printed before anything is sent. If no\nanswer comes, repeat the command with it: it pays once.',
    )
    .action(async (options: BatchOptions) => {
      const lines = readLines(resolve(environment.cwd, options.file))
      const externalId = options.externalId ?? `cli-${environment.newId()}`
      const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
      environment.terminal.note(
        `${lines.length} withdrawals, ${money(totalCents / 100, 'USD')} without fees`,
      )
      await confirm(environment, options, { question: 'Withdraw them?', done: 'withdrawn' })
      environment.terminal.note(`external id  ${externalId}`)
      // Not interruptible: after Ctrl-C the outcome would be unknown.
      const batch = await naming(
        lines,
        of(options).withdrawBatch({ externalId, withdrawals: lines }),
      )
      show(environment, options, batch, () => batchText(environment, batch))
    })

  command(payouts, 'progress <id>', 'how many withdrawals of a batch are in each status').action(
    async (id: string, options: CommonOptions) => {
      if (!UUID.test(id)) {
        throw usageError(
          `${clean(id)} is no id of a batch.`,
          'By your own id, repeat the command that made it; it pays once and answers with the id:',
          environment.commandLine(`payouts batch --file <path> --external-id ${shellWord(id)}`),
        )
      }
      const batch = await of(options).batch(id, { signal: environment.signal })
      show(environment, options, batch, () => batchText(environment, batch))
    },
  )
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A refusal of one line says which. */
async function naming<T>(lines: readonly Line[], call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const meta =
      error instanceof TradepostError ? (error.meta as { index?: number } | undefined) : {}
    const line = lines[meta?.index ?? -1]
    if (line === undefined || !(error instanceof TradepostError)) throw error
    const place = `Withdrawal ${(meta?.index ?? 0) + 1} (${clean(line.externalId)})`
    const message = `${place}: ${clean(error.message)} Nothing was withdrawn.`
    throw new CommandError(message, EXIT.refused, [], { key: error.key })
  }
}

function readLines(path: string): Line[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
  return extname(path).toLowerCase() === '.csv' ? linesOfCsv(text) : linesOfJson(text)
}

function linesOfJson(text: string): Line[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw usageError('The file is no JSON. Name a CSV with .csv at its end.')
  }
  const lines = (parsed as { withdrawals?: unknown } | null)?.withdrawals ?? parsed
  const isLine = (line: unknown): boolean =>
    Number.isSafeInteger((line as { amountCents?: unknown } | null)?.amountCents)
  if (!Array.isArray(lines) || !lines.every(isLine)) {
    throw usageError('The file must hold a list of withdrawals, each with amountCents.')
  }
  return lines
}

function linesOfCsv(text: string): Line[] {
  const rows = readPayoutBatchCsv(text)
  if ('problem' in rows) {
    throw usageError(
      rows.problem === 'quotation'
        ? `Line ${rows.line} of the CSV cannot be read: a quotation mark is misplaced.`
        : `The first line of the CSV must name ${rows.missing.join(', ')}.`,
    )
  }
  return rows.map(({ line, forUser, ...row }) => {
    if (Number.isNaN(row.amountCents)) {
      throw usageError(
        `Line ${line} of the CSV: the amount must be US dollars such as 25 or 25.50.`,
      )
    }
    return { ...row, ...(forUser !== '' && { forUser }) } as Line
  })
}

const batchText = (environment: Environment, batch: PayoutBatch): string =>
  detailsText(
    [
      ['batch', batch.id],
      ['external id', batch.externalId],
      ['withdrawals', String(batch.total)],
      ...Object.entries(batch.byStatus).map(([status, count]) => [status, String(count)] as const),
      ['created', moment(batch.createdAt)],
    ],
    environment.terminal.outPaint.dim,
  )
