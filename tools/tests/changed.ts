// Which test files a change can reach: a file depends on what it imports and on every file or folder that it
// names in a string, as tests do that start programs or read documents. That is more than a file really uses,
// never less, but for names that are put together from parts.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { gitNames, listNewFiles } from '../git.ts'

/** What every test runs on. */
const OF_ALL =
  /^(package(-lock)?\.json|tools\/test\.ts|tools\/tests\/\w+\.ts$|apps\/server\/migrations\/)/
const CODE = /\.(ts|tsx|mjs|js)$/
/** The start of a string, to its end or to what a template puts in. */
const NAMED = /['"`]([\w@.#][^'"`\s$]*)(['"`]|\$\{)/g
const MERGE_BASE = ['-c', 'safe.directory=*', 'merge-base', 'HEAD', 'main']
const COMMENT_LINE = /^\s*(\/\/|\/?\*).*$/gm

/**
 * Repository paths that differ from where the branch left `main`, or from `since`: committed, not committed,
 * and not yet known to git.
 */
export function changedPaths(root: string, since: string | undefined): string[] {
  const base = since ?? execFileSync('git', MERGE_BASE, { cwd: root, encoding: 'utf8' }).trim()
  return [
    ...gitNames(root, 'diff', '--name-only', '-z', '--no-renames', base),
    ...listNewFiles(root),
  ]
}

/** Of `tests`, those that depend on a changed path; all where it is one that every test depends on. */
export function testsOf(root: string, { tests, files, changed }: TestsOf): readonly string[] {
  if (changed.some((path) => OF_ALL.test(path))) return tests
  const dependents = dependentsOf(root, files)
  const reached = new Set<string>(changed)
  for (const path of reached) {
    for (const named of [path, ...parents(path)]) {
      for (const dependent of dependents.get(named) ?? []) reached.add(dependent)
    }
  }
  return tests.filter((path) => reached.has(path))
}

interface TestsOf {
  readonly tests: readonly string[]
  /** Every file of the repository. */
  readonly files: readonly string[]
  readonly changed: readonly string[]
}

/** By file or folder: the files that name it. */
function dependentsOf(root: string, files: readonly string[]): Map<string, string[]> {
  const places: Places = {
    ...namesOf(root, files),
    known: new Set(files.flatMap((path) => [path, ...parents(path)])),
  }
  const dependents = new Map<string, string[]>()
  for (const file of files) {
    if (!CODE.test(file) || !existsSync(join(root, file))) continue
    for (const named of namedBy(root, file, places)) {
      const list = dependents.get(named)
      if (list) list.push(file)
      else dependents.set(named, [file])
    }
  }
  return dependents
}

interface Places {
  /** `@tradepost/contract` → `packages/contract/src` */
  readonly packages: ReadonlyMap<string, string>
  /** By workspace: `#infra/*` → `apps/server/src/infra/*.ts` */
  readonly imports: ReadonlyMap<string, readonly (readonly [name: string, path: string])[]>
  /** Files and folders. */
  readonly known: ReadonlySet<string>
}

function namedBy(root: string, file: string, places: Places): Set<string> {
  const named = new Set<string>()
  const code = readFileSync(join(root, file), 'utf8').replace(COMMENT_LINE, '')
  for (const [, text = '', end] of code.matchAll(NAMED)) {
    for (const path of pathsOf(file, text, end === '${', places)) {
      // A folder that the file is in, such as the root, says nothing.
      if (places.known.has(path) && !file.startsWith(`${path}/`)) named.add(path)
    }
  }
  named.delete(file)
  return named
}

function pathsOf(
  file: string,
  text: string,
  goesOn: boolean,
  { packages, imports }: Places,
): string[] {
  if (text.startsWith('#')) {
    const workspace = file.split('/', 2).join('/')
    return (imports.get(workspace) ?? []).flatMap(([name, path]) => {
      if (name === text) return path
      const start = name.endsWith('/*') ? name.slice(0, -1) : null
      return start && text.startsWith(start) ? path.replace('*', text.slice(start.length)) : []
    })
  }
  if (!text.includes('/')) return []
  // `apps/server/src/main/${role}.ts`: any of the folder.
  const written = goesOn ? text.slice(0, text.lastIndexOf('/')) : text.replace(/\/$/, '')
  return [
    normalize(join(dirname(file), written)),
    normalize(written),
    packages.get(text.split('/', 2).join('/')) ?? [],
  ].flat()
}

function namesOf(root: string, files: readonly string[]): Pick<Places, 'packages' | 'imports'> {
  const workspaces = files
    .filter((path) => /^(apps|packages)\/[^/]+\/package\.json$/.test(path))
    .map((path) => ({
      folder: dirname(path),
      json: JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
    }))
  return {
    packages: new Map(workspaces.map(({ folder, json }) => [json.name, join(folder, 'src')])),
    imports: new Map(
      workspaces.map(({ folder, json }) => [
        folder,
        Object.entries(json.imports ?? {}).map(
          ([name, path]) => [name, join(folder, path)] as const,
        ),
      ]),
    ),
  }
}

interface Manifest {
  readonly name: string
  readonly imports?: Readonly<Record<string, string>>
}

function parents(path: string): string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...parents(folder)]
}
