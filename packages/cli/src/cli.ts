// Shared by all commands: common options, the session, and the output of results.
import { type Command, InvalidArgumentError } from 'commander'
import type { Environment } from './environment.ts'
import { usageError } from './failure.ts'
import type { Account, partner, Tradepost } from './sdk.ts'
import {
  clientOf,
  type MerchantSession,
  openSession,
  type PartnerSession,
  partnerClientOf,
  type Session,
} from './session.ts'
import { type Column, tableText } from './table.ts'
import { jsonText } from './text.ts'

export interface Cli {
  readonly program: Command
  readonly environment: Environment
  /** The session of the profile. */
  anySession(options: CommonOptions): Session
  /** ... of a command that needs a merchant's key. */
  session(options: CommonOptions): MerchantSession
  /** ... of a command that needs a partner's or child's key. */
  partnerSession(options: CommonOptions): PartnerSession
  /** A client for a key that is not in a profile yet. */
  connect(baseUrl: string, apiKey: string): Tradepost
  connectPartner(baseUrl: string, apiKey: string): partner.TradepostPartner
  /** The service that the command has called; null before. */
  baseUrl(): string | null
}

export interface CommonOptions {
  readonly json?: boolean
  readonly profile?: string
}

export interface BehalfOptions extends CommonOptions {
  readonly onBehalfOf?: string
}

export function createCli(program: Command, environment: Environment): Cli {
  let baseUrl: string | null = null
  const anySession = ({ profile }: CommonOptions): Session => {
    const session = openSession(environment, profile)
    ;({ baseUrl } = session)
    return session
  }
  return {
    program,
    environment,
    anySession,
    session: (options) => {
      const session = anySession(options)
      return session.speaks === 'merchant' ? session : refuseKey(environment, session, 'merchant')
    },
    partnerSession: (options) => {
      const session = anySession(options)
      return session.speaks === 'partner' ? session : refuseKey(environment, session, 'partner')
    },
    connect: (url, apiKey) => {
      baseUrl = url
      return clientOf(url, apiKey)
    },
    connectPartner: (url, apiKey) => {
      baseUrl = url
      return partnerClientOf(url, apiKey)
    },
    baseUrl: () => baseUrl,
  }
}

function refuseKey(
  { startedAs }: Environment,
  { speaks, source }: Session,
  needed: Session['speaks'],
): never {
  throw usageError(
    `This command needs a key of the ${needed} interface; that of ${source} is of the ${speaks} interface.`,
    `Log in under another profile: ${startedAs} login${needed === 'partner' ? ' --partner' : ''} --profile <name>`,
  )
}

/** A command with the options of every command. */
export const command = (parent: Command, nameAndArguments: string, summary: string): Command =>
  parent
    .command(nameAndArguments)
    .description(summary)
    .option('--json', 'print JSON')
    .option(
      '--profile <name>',
      'this profile, whatever key the environment has (or TRADEPOST_PROFILE)',
    )

export const withBehalf = (one: Command): Command =>
  one.option('--on-behalf-of <user>', 'run as this sub-user, by its id or your externalId')

export const accountOf = (tradepost: Tradepost, { onBehalfOf }: BehalfOptions): Account =>
  onBehalfOf === undefined ? tradepost : tradepost.as(onBehalfOf)

/** JSON with --json, otherwise text. */
export function show(
  { terminal }: Environment,
  options: CommonOptions,
  data: unknown,
  text: () => string,
): void {
  terminal.out(options.json ? jsonText(data, 2) : text())
}

export function table<Row>(
  { terminal }: Environment,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): string {
  return tableText(rows, columns, { columns: terminal.columns, header: terminal.outPaint.dim })
}

/** A whole number between two bounds, for an option. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

/** A decimal amount as the service takes it. */
export function amount(text: string): string {
  if (/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/.test(text)) return text
  throw new InvalidArgumentError('It must be an amount such as 12.50.')
}

/** A month as the service takes it. */
export function calendarMonth(text: string): string {
  if (/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError('It must be a year and a month such as 2026-10.')
}

/** US dollars that were typed, such as 25 or 25.50. */
export function readDollars(text: string): { readonly dollars: string; readonly cents: string } {
  const [, dollars, cents = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  if (dollars === undefined) throw usageError('The amount must be US dollars such as 25 or 25.50.')
  return { dollars, cents }
}

export function centsOf(text: string): number {
  const { dollars, cents } = readDollars(text)
  return Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
}

export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
