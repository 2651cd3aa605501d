// API keys on the command line.
import { listKeys } from '#identity'
import { issueAccountKey, revokeAccountKey, rotateAccountKey } from '#operations'
import { keyHolderOf } from './context.ts'
import { ANY_ACCOUNT, AS_JSON, argument, command, option, REASON, uuid, wrong } from './declare.ts'
import { json, table } from './table.ts'

const KEY_ID = argument('<key id>', 'key:list shows them', uuid)

const hours = (text: string): number =>
  Number(text) >= 0 && Number(text) <= 24 * 30 ? Number(text) : wrong('It is hours, up to 720.')

export const keyCommands = [
  command(
    'key:issue',
    'a new API key, shown this once',
    argument('<name>', 'of the key'),
    option('--allow <network,...>', 'the networks that may use it; without, any'),
    ...[...ANY_ACCOUNT, AS_JSON],
  ).does(async (context, name, options) => {
    const { id: accountId, kind } = await keyHolderOf(context, options)
    const allowlist = options.allow?.split(',').map((network) => network.trim()) ?? []
    const order = { accountId, kind, name, allowlist, environment: context.keyEnvironment }
    return shown(await issueAccountKey(context, context.actor, order), options)
  }),

  command(
    'key:rotate',
    'a new key; the old one is valid for so many hours more',
    KEY_ID,
    option('--overlap <hours>', 'up to 720', hours, 24),
    AS_JSON,
  ).does(async (context, keyId, options) => {
    const environment = context.keyEnvironment
    const order = { keyId, overlapHours: options.overlap, environment }
    return shown(await rotateAccountKey(context, context.actor, order), options)
  }),

  command('key:revoke', 'end a key at once', KEY_ID, REASON).does(
    async (context, keyId, { reason }) => {
      await revokeAccountKey(context, context.actor, { keyId, reason })
      return `Key ${keyId} is revoked.`
    },
  ),

  command('key:list', 'the keys of an account', ...ANY_ACCOUNT, AS_JSON).does(
    async (context, options) => {
      const keys = await listKeys(context.db, (await keyHolderOf(context, options)).id)
      if (options.json) return json(keys, 2)
      const rows = keys.map(({ prefix, last4, allowlist, ...key }) => ({
        ...key,
        key: `${prefix}…${last4}`,
        allowlist: allowlist.join(',') || 'any',
      }))
      return table(rows, ['id', 'name', 'key', 'status', 'allowlist', 'validUntil', 'lastUsedAt'])
    },
  ),
]

const shown = (issued: { id: string; secret: string }, options: { json?: true }): string =>
  options.json
    ? json(issued, 2)
    : `Key ${issued.id} is issued. It is shown this once: ${issued.secret}`
