// `npm run restore`: a copy brought to a moment, in an empty folder that is then a DATA_DIR.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DATABASE, writeAccess } from '../../apps/server/embedded-postgres/postgres-access.ts'
import { compareSchema } from '../../apps/server/src/infra/database/schema-history.ts'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { type Config, readConfig } from '../../apps/server/src/main/config.ts'
import { writeAtomically } from '../../apps/server/src/main/data-folder.ts'
import { readOptions, refuseUse } from '../options.ts'
import { chooseCopy } from './choose.ts'
import { keyIdsOf, runCommand } from './command.ts'
import { copyFolderAt, type Manifest } from './folder.ts'
import { type Recovered, recover } from './recover.ts'

const { values } = readOptions({
  name: 'npm run restore',
  about: 'Restores the database of a moment into an empty folder, ready to be a DATA_DIR.',
  options: {
    from: { kind: 'text', of: 'folder', about: 'as given to npm run backup --to' },
    data: {
      kind: 'text',
      of: 'folder',
      about: 'empty or new; the database goes to postgres/data in it',
    },
    at: { kind: 'text', of: 'time', about: 'ISO 8601, such as 2026-11-29T10:15:00Z' },
    to: { kind: 'text', of: 'latest', about: 'instead of a time: the end of the log' },
    'secrets-key-file': {
      kind: 'text',
      of: 'path',
      about: 'of the key of the copy, where SECRETS_KEY is not set; kept in the folder',
    },
  },
})
const { from, data } = values
if (from === undefined || data === undefined) {
  refuseUse('npm run restore needs --from <folder> and --data <empty folder>.')
}
if ((values.to === undefined) === (values.at === undefined)) {
  refuseUse('npm run restore needs either --at <time> or --to latest.')
}
if (values.to !== undefined && values.to !== 'latest')
  refuseUse('--to takes latest; a time is --at.')
const at = values.at === undefined ? null : new Date(values.at)
if (at && (Number.isNaN(at.getTime()) || !/(Z|[+-]\d\d:\d\d)$/.test(values.at ?? ''))) {
  refuseUse('--at needs a time with its zone, such as 2026-11-29T10:15:00Z.')
}

await runCommand(async ({ signal, say }) => {
  const startedAt = performance.now()
  const folder = copyFolderAt(from)
  const place = resolve(data)
  const wasThere = existsSync(place)
  if (wasThere && readdirSync(place).length > 0) throw new CannotStart(`${place} is not empty.`)
  const copy = chooseCopy(folder, { name: null, at })
  const { refusal } = compareSchema(copy.manifest.migrations)
  if (refusal) throw refusal
  const key = readKey(readConfig(), copy.manifest)
  const draft = join(place, `postgres.new-${process.pid}`)
  mkdirSync(place, { recursive: true, mode: 0o711 })
  mkdirSync(draft, { mode: 0o711 })
  try {
    say(`restoring the copy ${copy.name}`)
    const server = await recover({
      ...{ folder, copy, data: join(draft, 'data'), at, signal },
      onProgress: say,
    })
    try {
      await handOver(server, copy.manifest, draft)
    } finally {
      await server.stop()
    }
    if (key !== null) writeAtomically(join(place, 'secrets.key'), `${key}\n`)
    renameSync(draft, join(place, 'postgres'))
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const until = server.lastCommit?.toISOString() ?? copy.manifest.finishedAt
    console.log(`Restored to ${until} in ${seconds} s: ${join(place, 'postgres/data')}`)
    console.log('Next: docs/runbooks/restore.md')
  } catch (error) {
    rmSync(wasThere ? draft : place, { recursive: true, force: true })
    throw error
  }
})

/** The key for the folder, checked; null: SECRETS_KEY is set and stays where it is. */
function readKey(config: Config, { keyIds }: Manifest): string | null {
  const file = values['secrets-key-file']
  const text = file === undefined ? config.secretsKey?.reveal() : readText(file)
  if (text === undefined) {
    throw new CannotStart(
      `The secrets of the copy are sealed with the key ${keyIds[0]}: set SECRETS_KEY, or name the file of the ` +
        'key with --secrets-key-file.',
    )
  }
  const source = file ?? 'SECRETS_KEY'
  const given = new Set(keyIdsOf(text, source))
  const missing = keyIds.filter((id) => !given.has(id))
  if (missing.length > 0) {
    throw new CannotStart(
      `${source} is another key: the secrets of the copy are sealed with ${missing.join(', ')}, and it has ` +
        `${[...given].join(', ')}.`,
    )
  }
  return file === undefined ? null : text.trim()
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CannotStart(`${file} cannot be read: ${(error as Error).message}.`)
  }
}

/** To the server that comes: a password of its own, and no archive, which it would share with the old one. */
async function handOver(
  { client }: Recovered,
  { owner, database }: Manifest,
  folder: string,
): Promise<void> {
  try {
    await client.query('alter system reset archive_command')
    await client.query('alter system reset archive_timeout')
    if (owner !== DATABASE || database !== DATABASE) return
    const password = randomBytes(24).toString('base64url')
    await client.query(`alter role ${DATABASE} password '${password}'`)
    writeAccess(folder, { password, port: 0 })
  } finally {
    await client.end()
  }
}
