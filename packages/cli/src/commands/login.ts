// Keeping a key, forgetting it, and asking whose it is.
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type Cli, type CommonOptions, command, show } from '../cli.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import { changeProfile, deleteProfile } from '../profiles.ts'
import { originOf, profileNameOf } from '../session.ts'
import { factsText } from '../table.ts'
import { money } from '../text.ts'
import type { World } from '../world.ts'

interface LoginOptions extends CommonOptions {
  readonly url?: string
  readonly demo?: string | true
  readonly sandboxUrl?: string
}

export function addLogin(cli: Cli): void {
  const { program, world, session } = cli
  command(program, 'login', 'store an API key, after asking the service whether it is good')
    .option('--url <address>', 'address of the service (or TRADEPOST_URL)')
    .option('--demo [folder]', 'the demo merchant of a service that was started here (.data)')
    .option('--sandbox-url <address>', 'address of the sandbox, where it is not the next port')
    .addHelpText(
      'after',
      '\nThe key is asked for, or read from standard input or TRADEPOST_API_KEY. It is never an\nargument: those can be seen by everybody on the machine.',
    )
    .action((options: LoginOptions) => login(cli, options))

  command(program, 'logout', 'forget the key of a profile').action((options: CommonOptions) => {
    const name = profileNameOf(world, options.profile)
    const isGone = deleteProfile(world.configFolder, name)
    show(world, options, { profile: name, wasStored: isGone }, () =>
      isGone ? `Profile ${name} is forgotten.` : `There was no profile ${name}.`,
    )
  })

  command(program, 'whoami', 'whose key it is, and what is in the wallets').action(
    async (options: CommonOptions) => {
      const { tradepost, baseUrl, profileName } = session(options)
      const merchant = await tradepost.merchant.get({ signal: world.signal })
      const { spot, earnings } = merchant.wallets
      show(world, options, { baseUrl, profile: profileName, merchant }, () =>
        factsText(
          [
            ['merchant', merchant.email],
            ['id', merchant.id],
            ['service', baseUrl],
            spot && ['spot', money(spot.balance, spot.currency)],
            earnings && ['earnings', money(earnings.balance, earnings.currency)],
          ],
          world.terminal.outPaint.dim,
        ),
      )
    },
  )
}

async function login({ world, connect }: Cli, options: LoginOptions): Promise<void> {
  const given = options.demo === undefined ? await askFor(world, options) : readDemo(world, options)
  const { apiKey } = given
  const baseUrl = originOf(given.baseUrl)
  const { terminal } = world
  if (isOpenToReaders(baseUrl)) {
    terminal.note(`${terminal.notePaint.warn('note')}  The key goes to ${baseUrl} unencrypted.`)
  }
  const merchant = await connect(baseUrl, apiKey).merchant.get({ signal: world.signal })
  const name = profileNameOf(world, options.profile)
  const sandboxUrl = options.sandboxUrl ?? given.sandboxUrl
  changeProfile(world.configFolder, name, {
    baseUrl,
    apiKey,
    sandboxUrl: sandboxUrl === undefined ? undefined : originOf(sandboxUrl),
  })
  show(
    world,
    options,
    { profile: name, baseUrl, merchant: { id: merchant.id } },
    () => `Logged in to ${baseUrl} as ${merchant.email} (profile ${name}).`,
  )
}

interface Given {
  readonly baseUrl: string
  readonly apiKey: string
  readonly sandboxUrl?: string | undefined
}

const LOCAL = 'http://127.0.0.1:3000'

async function askFor({ terminal, env }: World, { url }: LoginOptions): Promise<Given> {
  const known = url ?? env.TRADEPOST_URL
  const asked =
    known === undefined && terminal.isInteractive
      ? await terminal.ask(`Address of the service [${LOCAL}]: `)
      : known
  const baseUrl = asked === undefined || asked === '' ? LOCAL : asked
  originOf(baseUrl)
  const apiKey =
    env.TRADEPOST_API_KEY ||
    (terminal.isInteractive
      ? await terminal.askSecretly('API key (it is not shown): ')
      : (await terminal.readInput()).trim())
  if (apiKey === '') {
    throw usageError('There is no key.', 'Type it, pipe it in, or set TRADEPOST_API_KEY.')
  }
  return { baseUrl, apiKey }
}

/** What a service that was started here says of its demo merchant. */
function readDemo({ cwd }: World, { demo }: LoginOptions): Given {
  const folder = typeof demo === 'string' ? demo : '.data'
  const path = join(isAbsolute(folder) ? folder : join(cwd, folder), 'demo.json')
  try {
    const { baseUrl, sandboxUrl, merchant } = JSON.parse(readFileSync(path, 'utf8')) as {
      baseUrl: string
      sandboxUrl?: string
      merchant: { apiKey: string }
    }
    return { baseUrl, sandboxUrl, apiKey: merchant.apiKey }
  } catch {
    throw new CommandError(
      `${path} is not there, or says nothing of a demo merchant.`,
      EXIT.failed,
      [
        'It is written by the first `npm start`, in its data folder: tradepost login --demo <folder>',
      ],
    )
  }
}

const isOpenToReaders = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
