// `npm run backup`: a copy of the running database, and the archive of its log.

import { recordBackup } from '../../apps/server/src/infra/database/backups.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { readConfig } from '../../apps/server/src/main/config.ts'
import { findAnyDatabase } from '../../apps/server/src/main/find-database.ts'
import { readOptions, refuseUse } from '../options.ts'
import { archiveInto, archiveProblem, archiveSettings } from './archive.ts'
import { copyBase } from './base-copy.ts'
import { inMegabytes, readKeyIds, runCommand } from './command.ts'
import { openSource } from './database.ts'
import { openForWriting, readRehearsal, removeOldCopies } from './folder.ts'

const { values } = readOptions({
  name: 'npm run backup',
  about:
    'Copies the database of DATABASE_URL, or the embedded one that runs, and lets the embedded one archive its log.',
  options: {
    to: { kind: 'text', of: 'folder', about: 'of all copies and of the log' },
    keep: { kind: 'whole', from: 1, about: 'removes older copies than the newest so many' },
  },
})
const { to, keep } = values
if (to === undefined) refuseUse('npm run backup needs --to <folder>.')

await runCommand(async ({ signal, say }) => {
  const config = readConfig()
  const { url, dataDir } = findAnyDatabase(config)
  const keyIds = readKeyIds(config, dataDir)
  const folder = openForWriting(to)
  const source = await openSource(url)
  try {
    say(`copying PostgreSQL ${source.postgres}, ${inMegabytes(source.bytes)}`)
    const isEmbedded = config.database.url === null
    const archiving = isEmbedded ? await archiveInto(source, folder) : null
    if (archiving?.isMoved) {
      say('the log goes to this folder from now on: copies elsewhere lead to now and no further')
    }
    let saidAt = performance.now()
    const copy = await copyBase(source, folder, {
      keyIds,
      signal,
      onBytes: (bytes) => {
        if (performance.now() - saidAt < 1000) return
        saidAt = performance.now()
        say(`${inMegabytes(bytes)} of about ${inMegabytes(source.bytes)}`)
      },
    }).catch(async (error: unknown) => {
      // Without its connection nothing is undone: the first failure is the one to report.
      await archiving?.undo().catch(() => {})
      throw error
    })
    for (const name of keep === undefined ? [] : removeOldCopies(folder, keep)) {
      say(`removed the copy ${name}`)
    }
    const rehearsal = readRehearsal(folder)
    await record(url, {
      takenAt: new Date(copy.manifest.finishedAt),
      rehearsedAt: rehearsal && new Date(rehearsal.at),
    })
    const problem = isEmbedded ? null : await archiveProblem(source)
    if (problem)
      say(`${problem}\nIts settings, where it can write to the folder:\n${archiveSettings(folder)}`)
    console.log(`${copy.folder}  ${inMegabytes(copy.manifest.bytes)}, by ${copy.manifest.way}`)
  } catch (error) {
    throw source.reasonOf(error)
  } finally {
    await source.client.end()
  }
})

/** For the metrics of the service. */
async function record(
  databaseUrl: string,
  moments: { readonly takenAt: Date; readonly rehearsedAt: Date | null },
): Promise<void> {
  const db = openDb({ url: databaseUrl, poolSize: 1, applicationName: 'tradepost-backup' })
  try {
    await db.transaction((tx) => recordBackup(tx, moments))
  } finally {
    await db.close()
  }
}
