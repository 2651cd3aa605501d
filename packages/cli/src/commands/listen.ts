// Shows events as they happen and forwards them to a program of the developer.
import { type Cli, type CommonOptions, command, listOf } from '../cli.ts'
import type { Environment, Terminal } from '../environment.ts'
import { eventFields, eventLine } from '../event-line.ts'
import { usageError } from '../failure.ts'
import { type ForwardAnswer, forward, forwardUrl, isDelivered, newSecret } from '../forward.ts'
import { changeProfile, type Listening, readListening, writeListening } from '../profiles.ts'
import { type EventType, TradepostError, type WebhookEvent } from '../sdk.ts'
import type { MerchantSession } from '../session.ts'
import { placeOfNow, tail } from '../tail.ts'
import { clean, fit, jsonText } from '../text.ts'

interface ListenOptions extends CommonOptions {
  readonly forwardTo?: string
  readonly events?: string
  readonly secret?: string
  readonly since: string
}

export function addListen({ program, environment, session }: Cli): void {
  command(program, 'listen', 'show events as they come, and forward them to a program of yours')
    .option('--forward-to <address>', 'URL to post each event to, as the service would')
    .option('--events <types>', 'only these types, comma-separated')
    .option('--secret <secret>', 'signing secret (default: that of the profile)')
    .option(
      '--since <place>',
      'where to start: now, last (where this profile stopped), start, or an event',
      'now',
    )
    .addHelpText(
      'after',
      '\nWhat is forwarded is signed with a secret that is made for the profile and shown at the\nstart: verify with it, not with that of your endpoint. An event is posted again, twice, while\nnobody answers. Ctrl-C ends it; `--since last` goes on after the last event of then.',
    )
    .action((options: ListenOptions) => listen(environment, session(options), options))
}

async function listen(
  environment: Environment,
  session: MerchantSession,
  options: ListenOptions,
): Promise<void> {
  const { terminal, signal } = environment
  const paint = terminal.notePaint
  const target =
    options.forwardTo === undefined
      ? null
      : { url: forwardUrl(options.forwardTo), secret: secretOf(environment, session, options) }
  const types = options.events === undefined ? null : (listOf(options.events) as EventType[])
  if (types?.length === 0) throw usageError('--events names no type.')
  const place = await placeToBegin(environment, session, options)
  const before = readListening(environment.configFolder, session.profileName)
  const keep = (last: Listening['place']): void =>
    writeListening(environment.configFolder, session.profileName, {
      forwardTo: target?.url ?? before.forwardTo,
      place: last,
    })
  keep(before.place)
  if (target !== null) {
    terminal.note(`forwarding to  ${target.url}`)
    terminal.note(`signed with    ${paint.bold(target.secret)}`)
  }
  terminal.note(`listening to   ${session.baseUrl}  ${paint.dim('Ctrl-C ends')}`)

  const events = tail(environment, session, {
    place,
    types,
    signal,
    onTrouble: (error) =>
      terminal.note(`${paint.warn('waiting')}  ${clean(messageOf(error))}; trying again`),
    onRecovered: () => terminal.note(`${paint.good('back')}     the service answers again`),
  })
  try {
    for await (const event of events) {
      if (!options.json) terminal.out(eventLine(event, terminal))
      const answer = target === null ? null : await deliver(environment, event, target, options)
      // Interrupted during the delivery: the next run starts with this event.
      if (signal.aborted) return
      if (options.json) {
        terminal.out(jsonText({ ...eventFields(event), ...(answer && { forward: answer }) }))
      }
      keep({ baseUrl: session.baseUrl, eventId: event.id })
    }
  } catch (error) {
    if (isUnknownPlace(error)) throw unknownPlace(options.since)
    throw error
  }
}

function secretOf(
  environment: Environment,
  { profile, profileName }: MerchantSession,
  { secret }: ListenOptions,
): string {
  if (secret !== undefined) {
    if (secret === '') throw usageError('--secret is empty.')
    return secret
  }
  if (profile.listenSecret !== undefined) return profile.listenSecret
  const made = newSecret(environment)
  changeProfile(environment.configFolder, profileName, { listenSecret: made })
  return made
}

async function placeToBegin(
  { terminal, signal, configFolder }: Environment,
  session: MerchantSession,
  { since }: ListenOptions,
): Promise<string> {
  const { place } = readListening(configFolder, session.profileName)
  switch (since) {
    case 'now':
      return placeOfNow(session, signal)
    case 'start':
      return 'start'
    case 'last':
      if (place?.baseUrl === session.baseUrl) return place.eventId
      terminal.note(
        'This profile has not listened to this service before: starting with the next event.',
      )
      return placeOfNow(session, signal)
    default:
      if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(since)) return since
      throw usageError(`--since ${since} is none of: now, last, start, the id of an event.`)
  }
}

const isUnknownPlace = (error: unknown): boolean =>
  error instanceof TradepostError &&
  error.key === 'VALIDATION_FAILED' &&
  error.meta.errors.some(({ pointer }) => pointer === '/after')

const unknownPlace = (since: string): Error =>
  usageError(
    since === 'last'
      ? 'The service does not know the last event of this profile.'
      : `The service does not know the event ${since}.`,
    'Use --since now or --since start.',
  )

/** A program under development restarts often: while it does not answer, the event is posted again. */
const PAUSES_MS = [1000, 3000]

async function deliver(
  environment: Environment,
  event: WebhookEvent,
  target: { readonly url: string; readonly secret: string },
  { json }: CommonOptions,
): Promise<ForwardAnswer> {
  let answer = await forward(environment, event, target)
  for (const pauseMs of PAUSES_MS) {
    if (answer.kind === 'answered' || environment.signal.aborted) break
    await environment.sleep(pauseMs)
    if (environment.signal.aborted) break
    answer = await forward(environment, event, target)
  }
  if (!json && !environment.signal.aborted) tellAnswer(environment, event, answer)
  return answer
}

export function tellAnswer(
  { terminal, commandLine }: Environment,
  { id }: WebhookEvent,
  answer: ForwardAnswer,
): void {
  const paint = terminal.outPaint
  const colour = isDelivered(answer) ? paint.good : paint.bad
  const what =
    answer.kind === 'answered'
      ? `${colour(String(answer.status))} ${paint.dim(`in ${answer.durationMs} ms`)}`
      : colour(clean(answer.reason))
  terminal.out(`          → ${what}`)
  if (answer.kind === 'answered') tellBody(terminal, answer.body)
  if (!isDelivered(answer)) {
    terminal.note(`          post it again: ${commandLine(`events resend ${id}`)}`)
  }
}

const MOST_LINES = 5
const INDENT = '            '

/** The beginning of what was answered, in lines of the terminal's width. */
function tellBody(terminal: Terminal, body: string): void {
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = Math.max(terminal.columns - INDENT.length, 20)
  for (const line of lines.slice(0, MOST_LINES)) {
    terminal.out(INDENT + terminal.outPaint.dim(fit(clean(line), columns)))
  }
  const more = lines.length - MOST_LINES
  if (more > 0) terminal.out(INDENT + terminal.outPaint.dim(`… ${more} more lines`))
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
