// Stores a key, removes it, and shows whose it is.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Cli, type CommonOptions, command, show } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import { changeProfile, deleteProfile } from '../profiles.ts'
import { originOf, type PartnerSession, profileNameOf } from '../session.ts'
import { detailsText } from '../table.ts'
import { clean, money } from '../text.ts'

interface LoginOptions extends CommonOptions {
  readonly url?: string
  readonly demo?: string | true
  readonly partner?: boolean
  readonly sandboxUrl?: string
}

export function addLogin(cli: Cli): void {
  const { program, environment, anySession } = cli
  command(program, 'login', 'store an API key, after asking the service whether it is good')
    .option('--url <address>', 'URL of the service (or TRADEPOST_URL)')
    .option(
      '--demo [folder]',
      'the demo merchant, or partner, of a service that was started here, or its data folder (.data)',
    )
    .option('--partner', 'a key of the partner interface: a partner’s own or a child’s')
    .option('--sandbox-url <address>', 'URL of the sandbox, if it is not on the next port')
    .addHelpText(
      'after',
      '\nThe key is what is piped in, else TRADEPOST_API_KEY, else what you type. It is never an argument:\nother users of the machine can see those.',
    )
    .action((options: LoginOptions) => login(cli, options))

  command(program, 'logout', 'forget the key of a profile').action((options: CommonOptions) => {
    const name = profileNameOf(environment, options.profile)
    const isGone = deleteProfile(environment.configFolder, name)
    show(environment, options, { profile: name, wasStored: isGone }, () =>
      isGone ? `Profile ${name} was removed.` : `There was no profile ${name}.`,
    )
  })

  command(program, 'whoami', 'whose key it is, and what is in the wallets').action(
    async (options: CommonOptions) => {
      const opened = anySession(options)
      if (opened.speaks === 'partner') return showPartner(environment, options, opened)
      const { tradepost, baseUrl, profileName } = opened
      const merchant = await tradepost.merchant.get({ signal: environment.signal })
      const { spot, earnings } = merchant.wallets
      show(environment, options, { baseUrl, profile: profileName, merchant }, () =>
        detailsText(
          [
            ['merchant', merchant.email],
            ['id', merchant.id],
            ['service', baseUrl],
            spot && ['spot', money(spot.balance, spot.currency)],
            earnings && ['earnings', money(earnings.balance, earnings.currency)],
          ],
          environment.terminal.outPaint.dim,
        ),
      )
    },
  )
}

async function showPartner(
  environment: Environment,
  options: CommonOptions,
  { account, baseUrl, profileName }: PartnerSession,
): Promise<void> {
  const { signal } = environment
  const [profile, fees] = [
    await account.account.profile({ signal }),
    await account.account.fees({ signal }),
  ]
  show(environment, options, { baseUrl, profile: profileName, account: profile, fees }, () =>
    detailsText(
      [
        ['account', profile.id],
        ['service', baseUrl],
        ['balance', money(profile.balance, 'USD')],
        ['fees', `${fees.currentFee}%`],
      ],
      environment.terminal.outPaint.dim,
    ),
  )
}

/** Asks the service whose key it is: one that it refuses is not stored. */
async function identify(
  { environment, connect, connectPartner }: Cli,
  { baseUrl, apiKey, email: known }: Pick<Given, 'baseUrl' | 'apiKey' | 'email'>,
  isPartner: boolean,
): Promise<{ readonly id: string; readonly name: string }> {
  const { signal } = environment
  if (isPartner) {
    const { id, chat } = await connectPartner(baseUrl, apiKey).account.profile({ signal })
    return { id, name: known ?? chat?.username ?? `account ${id}` }
  }
  const { id, email } = await connect(baseUrl, apiKey).merchant.get({ signal })
  return { id, name: email }
}

async function login(cli: Cli, options: LoginOptions): Promise<void> {
  const { environment } = cli
  const given =
    options.demo === undefined ? await askFor(environment, options) : readDemo(environment, options)
  const { apiKey } = given
  const baseUrl = originOf(given.baseUrl)
  const { terminal } = environment
  if (isOpenToReaders(baseUrl)) {
    terminal.note(`${terminal.notePaint.warn('note')}  The key goes to ${baseUrl} unencrypted.`)
  }
  const isPartner = options.partner ?? false
  const holder = await identify(cli, { ...given, baseUrl }, isPartner)
  const name = profileNameOf(environment, options.profile)
  const sandboxUrl = options.sandboxUrl ?? given.sandboxUrl
  changeProfile(environment.configFolder, name, {
    baseUrl,
    apiKey,
    speaks: isPartner ? 'partner' : undefined,
    sandboxUrl: sandboxUrl === undefined ? undefined : originOf(sandboxUrl),
  })
  if (environment.env.TRADEPOST_API_KEY && options.demo !== undefined) {
    terminal.note(
      `${terminal.notePaint.warn('note')}  TRADEPOST_API_KEY is set: without --profile ${name} its key is used.`,
    )
  }
  show(
    environment,
    options,
    { profile: name, baseUrl, [isPartner ? 'account' : 'merchant']: { id: holder.id } },
    () => `Logged in to ${baseUrl} as ${clean(holder.name)} (profile ${name}).`,
  )
}

interface Given {
  readonly baseUrl: string
  readonly apiKey: string
  readonly sandboxUrl?: string | undefined
  /** Of the demo: the partner interface names an account by an id, and by its chat account if it has one. */
  readonly email?: string | undefined
}

const LOCAL = 'http://127.0.0.1:3000'

async function askFor({ terminal, env }: Environment, { url }: LoginOptions): Promise<Given> {
  const known = url ?? env.TRADEPOST_URL
  const entered =
    known === undefined && terminal.isInteractive
      ? await terminal.ask(`Address of the service [${LOCAL}]: `)
      : known
  const baseUrl = entered === undefined || entered === '' ? LOCAL : entered
  originOf(baseUrl)
  // What is piped in is meant for this command; a variable may have been set for others.
  const piped = terminal.isInteractive ? '' : (await terminal.readInput()).trim()
  const apiKey =
    piped ||
    env.TRADEPOST_API_KEY ||
    (terminal.isInteractive ? await terminal.askSecretly('API key (it is not shown): ') : '')
  if (apiKey === '') {
    throw usageError('There is no key.', 'Type it, pipe it in, or set TRADEPOST_API_KEY.')
  }
  return { baseUrl, apiKey }
}

interface DemoAccount {
  readonly apiKey: string
  readonly email: string
}

/** The demo merchant or partner of a service on this machine, from its data folder. */
function readDemo(
  { cwd, commandLine }: Environment,
  { demo, partner: isPartner }: LoginOptions,
): Given {
  const named = resolve(cwd, typeof demo === 'string' ? demo : '.data')
  // Where the service was started, or its data folder.
  const inside = join(named, '.data', 'demo.json')
  const path = existsSync(inside) ? inside : join(named, 'demo.json')
  try {
    const { baseUrl, sandboxUrl, merchant, partner } = JSON.parse(readFileSync(path, 'utf8')) as {
      baseUrl: string
      sandboxUrl?: string
      merchant: DemoAccount
      partner: DemoAccount
    }
    const { apiKey, email } = isPartner ? partner : merchant
    return { baseUrl, sandboxUrl, apiKey, email }
  } catch {
    throw new CommandError(`${path} is not there, or has no demo account.`, EXIT.failed, [
      `It is written by the first \`npm start\`, in its data folder: ${commandLine('login --demo <folder>')}`,
    ])
  }
}

const isOpenToReaders = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
