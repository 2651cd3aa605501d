// Events as they come, on the screen and at a program of the developer's.
import { type Cli, type CommonOptions, command, listOf } from '../cli.ts'
import { eventFacts, eventLine } from '../event-line.ts'
import { usageError } from '../failure.ts'
import { type ForwardAnswer, forward, forwardUrl, isDelivered, newSecret } from '../forward.ts'
import { changeProfile, type Listening, readListening, writeListening } from '../profiles.ts'
import { type EventType, TradepostError, type WebhookEvent } from '../sdk.ts'
import type { Session } from '../session.ts'
import { placeOfNow, tail } from '../tail.ts'
import { clean, jsonText } from '../text.ts'
import type { World } from '../world.ts'

interface ListenOptions extends CommonOptions {
  readonly forwardTo?: string
  readonly events?: string
  readonly secret?: string
  readonly since: string
}

export function addListen({ program, world, session }: Cli): void {
  command(program, 'listen', 'show events as they come, and forward them to a program of yours')
    .option('--forward-to <address>', 'post each event there, as the service would')
    .option('--events <types>', 'these types only, separated by commas')
    .option('--secret <secret>', 'sign with this one instead of the profile’s own')
    .option('--since <place>', 'now, last (where this profile stopped), start, or an event', 'now')
    .addHelpText(
      'after',
      '\nWhat is forwarded is signed with a secret that is made for the profile and shown at the\nstart: verify with it, not with that of your endpoint. An event is posted again, twice, while\nnobody answers. Ctrl-C ends it; `--since last` goes on after the last event of then.',
    )
    .action((options: ListenOptions) => listen(world, session(options), options))
}

async function listen(world: World, session: Session, options: ListenOptions): Promise<void> {
  const { terminal, signal } = world
  const paint = terminal.notePaint
  const target =
    options.forwardTo === undefined
      ? null
      : { url: forwardUrl(options.forwardTo), secret: secretOf(world, session, options) }
  const types = options.events === undefined ? null : (listOf(options.events) as EventType[])
  if (types?.length === 0) throw usageError('--events names no type.')
  const place = await placeToBegin(world, session, options)
  const before = readListening(world.configFolder, session.profileName)
  const keep = (last: Listening['place']): void =>
    writeListening(world.configFolder, session.profileName, {
      forwardTo: target?.url ?? before.forwardTo,
      place: last,
    })
  keep(before.place)
  if (target !== null) {
    terminal.note(`forwarding to  ${target.url}`)
    terminal.note(`signed with    ${paint.bold(target.secret)}`)
  }
  terminal.note(`listening to   ${session.baseUrl}  ${paint.dim('Ctrl-C ends')}`)

  const events = tail(world, session, {
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
      const answer = target === null ? null : await deliver(world, event, target, options)
      // Interrupted in the middle of it: the next run begins with this event.
      if (signal.aborted) return
      if (options.json) {
        terminal.out(jsonText({ ...eventFacts(event), ...(answer && { forward: answer }) }))
      }
      keep({ baseUrl: session.baseUrl, eventId: event.id })
    }
  } catch (error) {
    if (isUnknownPlace(error)) throw unknownPlace(options.since)
    throw error
  }
}

function secretOf(
  world: World,
  { profile, profileName }: Session,
  { secret }: ListenOptions,
): string {
  if (secret !== undefined) {
    if (secret === '') throw usageError('--secret is empty.')
    return secret
  }
  if (profile.listenSecret !== undefined) return profile.listenSecret
  const made = newSecret(world)
  changeProfile(world.configFolder, profileName, { listenSecret: made })
  return made
}

async function placeToBegin(
  { terminal, signal, configFolder }: World,
  session: Session,
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
      terminal.note('This profile has not listened to this service before: beginning now.')
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
      ? 'The service does not know the event where this profile stopped.'
      : `The service does not know the event ${since}.`,
    'Begin with --since now or --since start.',
  )

/** A program under development restarts often: an event is posted again while nobody answers. */
const PAUSES_MS = [1000, 3000]

async function deliver(
  world: World,
  event: WebhookEvent,
  target: { readonly url: string; readonly secret: string },
  { json }: CommonOptions,
): Promise<ForwardAnswer> {
  let answer = await forward(world, event, target)
  for (const pauseMs of PAUSES_MS) {
    if (answer.kind === 'answered' || world.signal.aborted) break
    await world.sleep(pauseMs)
    if (world.signal.aborted) break
    answer = await forward(world, event, target)
  }
  if (!json && !world.signal.aborted) tellAnswer(world, event, answer)
  return answer
}

export function tellAnswer({ terminal }: World, { id }: WebhookEvent, answer: ForwardAnswer): void {
  const paint = terminal.outPaint
  const colour = isDelivered(answer) ? paint.good : paint.bad
  const what = answer.kind === 'answered' ? String(answer.status) : clean(answer.reason)
  terminal.out(`          → ${colour(what)} ${paint.dim(`in ${answer.durationMs} ms`)}`)
  if (!isDelivered(answer)) {
    terminal.note(`          post it again: tradepost events resend ${id}`)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
