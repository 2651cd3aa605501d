// `npm run backup:verify`: restores a copy into a server that only it can reach, and audits the books there.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { readOptions, refuseUse } from '../options.ts'
import { chooseCopy } from './choose.ts'
import { runCommand } from './command.ts'
import { copyFolderAt, writeRehearsal } from './folder.ts'
import { recover } from './recover.ts'

const { values } = readOptions({
  name: 'npm run backup:verify',
  about:
    'Checks a copy, restores it to the end of its log in a folder for temporary files, and audits the books.',
  options: {
    from: { kind: 'text', of: 'folder', about: 'as given to npm run backup --to' },
    copy: { kind: 'text', of: 'name', about: 'as listed by npm run backup:list (the newest)' },
  },
})
const { from } = values
if (from === undefined) refuseUse('npm run backup:verify needs --from <folder>.')

await runCommand(async ({ signal, say }) => {
  const startedAt = performance.now()
  const folder = copyFolderAt(from)
  const copy = chooseCopy(folder, { name: values.copy ?? null, at: null })
  const place = mkdtempSync(join(tmpdir(), 'tradepost-rehearsal-'))
  try {
    const data = join(place, 'data')
    const server = await recover({ ...{ folder, copy, data, at: null, signal }, onProgress: say })
    const { client, url, lastCommit, stop } = server
    try {
      await client.end()
      say(`recovered to ${lastCommit?.toISOString() ?? 'the end of the copy'}; auditing the books`)
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(import.meta.dirname, '../audit.ts'), url],
        { encoding: 'utf8' },
      )
      if (status !== 0)
        throw new CannotStart(`${stdout}${stderr}The copy ${copy.name} is not right.`)
    } finally {
      await stop()
    }
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    writeRehearsal(folder, { at: new Date().toISOString(), copy: copy.name, seconds })
    console.log(`${copy.name}: restored, and the books are right, in ${seconds} s.`)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
