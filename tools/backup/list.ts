// `npm run backup:list`: the copies of a folder, and up to when each can be restored.
import { readOptions, refuseUse } from '../options.ts'
import { inMegabytes, runCommand } from './command.ts'
import { copyFolderAt, listArchived, listCopies, reachOf, readRehearsal } from './folder.ts'

const { values } = readOptions({
  name: 'npm run backup:list',
  about: 'Lists the copies of a folder, and up to when each can be restored.',
  options: { from: { kind: 'text', of: 'folder', about: 'as given to npm run backup --to' } },
})
const { from } = values
if (from === undefined) refuseUse('npm run backup:list needs --from <folder>.')

await runCommand(async () => {
  const folder = copyFolderAt(from)
  const archived = listArchived(folder)
  const rows = listCopies(folder).map((copy) => {
    const { manifest, name } = copy
    const { until, missing } = reachOf(copy, archived)
    const seconds = (Date.parse(manifest.finishedAt) - Date.parse(manifest.startedAt)) / 1000
    return [
      name,
      `${seconds.toFixed(1)} s`,
      inMegabytes(manifest.bytes),
      manifest.postgres,
      manifest.migrations.at(-1)?.name ?? '',
      `${until.toISOString()}${missing ? `, segment ${missing} is missing` : ''}`,
    ]
  })
  const table = [
    ['COPY', 'TOOK', 'SIZE', 'POSTGRESQL', 'LAST MIGRATION', 'RESTORABLE UNTIL'],
    ...rows,
  ]
  const widths =
    table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? []
  for (const row of table) {
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  const rehearsal = readRehearsal(folder)
  console.log(
    rehearsal
      ? `Last restored and audited ${rehearsal.at}: ${rehearsal.copy}, in ${rehearsal.seconds} s.`
      : 'None was ever restored: npm run backup:verify.',
  )
})
