// Lists events, shows one, and posts one again.
import { type Cli, type CommonOptions, command, listOf, show, table, wholeNumber } from '../cli.ts'
import { eventFields } from '../event-line.ts'
import { eventSubject } from '../event-subject.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import { forward, forwardUrl, isDelivered, newSecret } from '../forward.ts'
import { statusPaint } from '../paint.ts'
import { changeProfile, readListening } from '../profiles.ts'
import type { EventType, WebhookEvent } from '../sdk.ts'
import { jsonText, moment } from '../text.ts'
import { tellAnswer } from './listen.ts'

interface ListOptions extends CommonOptions {
  readonly type?: string
  readonly limit: number
}

interface ResendOptions extends CommonOptions {
  readonly forwardTo?: string
  readonly secret?: string
}

export function addEvents(cli: Cli): void {
  const { program, environment, session } = cli
  const events = program.command('events').description('events of the merchant and its sub-users')

  command(events, 'list', 'the newest ones')
    .option('--type <types>', 'only these types, comma-separated')
    .option('--limit <count>', 'number of rows', wholeNumber(1, 100), 20)
    .action(async (options: ListOptions) => {
      const { tradepost } = session(options)
      const types = options.type === undefined ? undefined : (listOf(options.type) as EventType[])
      const { items } = await tradepost.events.list(
        { limit: options.limit, type: types },
        { signal: environment.signal },
      )
      show(environment, options, items, () =>
        items.length === 0 ? 'No events.' : table(environment, items, columnsOf(cli)),
      )
    })

  command(events, 'show <id>', 'one of them as JSON, with its data as it is now').action(
    async (id: string, options: CommonOptions) => {
      const { tradepost } = session(options)
      environment.terminal.out(
        jsonText(await tradepost.events.get(id, { signal: environment.signal }), 2),
      )
    },
  )

  command(events, 'resend <id>', 'post one again to your program, from this machine')
    .option('--forward-to <address>', 'URL to post to (default: that of the last `listen`)')
    .option('--secret <secret>', 'signing secret (default: that of the profile)')
    .addHelpText(
      'after',
      '\nThis posts from here, under the event’s own id, as `listen` does. To have the service send a\ndelivery to your endpoint again, use the dashboard: an API key cannot.',
    )
    .action((id: string, options: ResendOptions) => resend(cli, id, options))
}

const columnsOf = ({ environment }: Cli) => [
  { title: 'CREATED (UTC)', cell: ({ createdAt }: WebhookEvent) => moment(createdAt) },
  {
    title: 'TYPE',
    cell: ({ type }: WebhookEvent) => type,
    paint: ({ type }: WebhookEvent) =>
      statusPaint(environment.terminal.outPaint, type.split('.')[1] ?? ''),
  },
  { title: 'EVENT', cell: ({ id }: WebhookEvent) => id },
  { title: 'ABOUT', cell: (event: WebhookEvent) => aboutOf(event), drops: 2 },
  {
    title: 'EXTERNAL ID',
    cell: (event: WebhookEvent) => eventSubject(event).externalId ?? '',
    shrinks: true,
    drops: 1,
  },
]

const aboutOf = (event: WebhookEvent): string => {
  const { kind, id } = eventSubject(event)
  return `${kind} ${id}`
}

async function resend(
  { environment, session }: Cli,
  id: string,
  options: ResendOptions,
): Promise<void> {
  const { tradepost, profile, profileName } = session(options)
  const address =
    options.forwardTo ?? readListening(environment.configFolder, profileName).forwardTo
  if (address === undefined) {
    throw usageError(
      'No address: this profile has not listened yet.',
      'Pass --forward-to <address>.',
    )
  }
  let secret = options.secret ?? profile.listenSecret
  if (secret === undefined) {
    secret = newSecret(environment)
    changeProfile(environment.configFolder, profileName, { listenSecret: secret })
    environment.terminal.note(`signed with    ${environment.terminal.notePaint.bold(secret)}`)
  }
  const url = forwardUrl(address)
  const event = await tradepost.events.get(id, { signal: environment.signal })
  const answer = await forward(environment, event, { url, secret })
  environment.signal.throwIfAborted()
  if (options.json)
    environment.terminal.out(jsonText({ ...eventFields(event), url, forward: answer }, 2))
  else {
    environment.terminal.out(`${event.type} to ${url}`)
    tellAnswer(environment, event, answer)
  }
  if (!isDelivered(answer)) {
    throw new CommandError('The event was not accepted.', EXIT.failed, [], { isInResult: true })
  }
}
