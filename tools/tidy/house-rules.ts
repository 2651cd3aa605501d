// Rules about the repository as a whole: its folders, documents, dependencies and words.
import { eachLine, type Finding, filesAt, type Repository, type Rule } from './repository.ts'

const MODULES = /^(apps\/server\/src\/modules\/[^/]+\/[^/]+)\//
const DOCUMENTS = /\.md$/

/** Words that this repository does not use, and what to say instead. */
const WORDS: readonly [word: RegExp, instead: string][] = [
  [/\b(white|black)[- ]?list/i, 'allowlist, denylist'],
  [/\bsub ?users?\b/, 'sub-user'],
  [/\bsanity[- ]check/i, 'check'],
  [/\b(utili[sz]e|leverag(e|ing))\b/i, 'use'],
  [/\b(obviously|simply|of course|basically)\b/i, 'nothing: what is obvious need not be said'],
  [/\b(blazing|seamless|cutting[- ]edge|world[- ]class|enterprise[- ]grade)\b/i, 'a number'],
]

/** Words of a narrator. Reports, states and errors have technical terms. */
const NARRATOR =
  /\b(nobody|whoever|somebody|everybody|told|tells?|heard|mend(s|ed)?|wish(es)?|lies?|lying|shelf|dossier|hasten|patiently)\b/i

/** The glossary lists what a term replaces; `nobody` is an account of the operating system. */
const QUOTES_WORDS =
  /^(tools\/tidy\/|docs\/glossary\.md$|apps\/server\/embedded-postgres\/postgres-user\.ts$)/

/** These repeat what suppliers say, or what is forbidden here. */
const SPEAKS_OTHERS_WORDS = /^(apps\/sandbox\/|apps\/server\/src\/adapters\/|tools\/tidy\/)/

/** Folders of one machine: they exist nowhere else and reveal where the work was done. */
const MACHINE_PATH = /(?<![\w.$}/-])\/(home|root|Users|work|mnt|workspace|builds)\/\w/

export const houseRules: readonly Rule[] = [
  {
    name: 'every module has a README and a door',
    find: (repository) => {
      const modules = new Set(
        [...repository.files.keys()].flatMap((path) => MODULES.exec(path)?.[1] ?? []),
      )
      return [...modules].flatMap((module) =>
        ['README.md', 'index.ts']
          .map((name) => `${module}/${name}`)
          .filter((path) => !repository.files.has(path))
          .map((path) => ({ path, message: 'is missing' })),
      )
    },
  },
  {
    name: 'the dashboard speaks from texts/ and calls generated paths only',
    find: (repository) => [
      ...eachLine(repository, /^apps\/dashboard\/src\/(?!api\/routes\.ts)/, (line) =>
        line.includes('/dashboard/api') ? 'a path by hand: name the route' : null,
      ),
      ...eachLine(repository, /^apps\/dashboard\/src\/.*\.tsx$/, (line) =>
        /\b(label|title|head|caption|empty|placeholder|aria-label)[:=] ?["'][A-Z][a-z]+/.test(line)
          ? 'a text of its own: it belongs in texts/'
          : null,
      ),
    ],
  },
  { name: 'migrations are numbered without holes', find: findMigrationHoles },
  { name: 'a migration says whose processes bear it', find: findUnsaidBearers },
  { name: 'decisions are numbered without holes', find: findDecisionHoles },
  { name: 'every dependency is explained', find: findUnexplainedDependencies },
  {
    name: 'dependencies are exact',
    find: (repository) =>
      manifests(repository).flatMap(({ path, versions }) =>
        Object.entries(versions)
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name, version]) => ({ path, message: `${name} is ${version}: name one version` })),
      ),
  },
  {
    name: 'the lock file knows no address',
    find: (repository) => [
      ...eachLine(repository, /^package-lock\.json$/, (line) =>
        /"resolved": "(https?|git)/.test(line)
          ? 'a download address: packages come from any registry'
          : null,
      ),
      ...eachLine(repository, /(^|\/)\.npmrc$/, (line) =>
        /registry\s*=|_auth/i.test(line) ? 'a registry is a matter of the machine' : null,
      ),
    ],
  },
  {
    name: 'version managers choose the Node that the scripts run on',
    find: (repository) => {
      const wanted = manifests(repository).find(({ path }) => path === 'package.json')?.versions
        .node
      const found = repository.files.get('.nvmrc')?.trim()
      return wanted === found
        ? []
        : [{ path: '.nvmrc', message: `is ${found}; package.json depends on node ${wanted}` }]
    },
  },
  {
    name: 'no file names a path of one machine',
    find: (repository) =>
      eachLine(repository, /\.(ts|mjs|sql|md|json|yml)$|^\.ci\//, (line) => {
        const found = MACHINE_PATH.exec(line)?.[0]
        return found === undefined ? null : `${found}…: a path of one machine`
      }),
  },
  {
    name: 'one thing has one word',
    find: (repository) =>
      eachLine(repository, /\.(ts|sql|md)$/, (line, path) => {
        if (SPEAKS_OTHERS_WORDS.test(path)) return null
        const entry = WORDS.find(([word]) => word.test(line))
        return entry ? `${entry[0].exec(line)?.[0]}: say ${entry[1]}` : null
      }),
  },
  {
    name: 'a sentence has technical terms',
    find: (repository) =>
      eachLine(repository, /\.(ts|mjs|sql|md|yml|py|css|html)$|^\.ci\//, (line, path) => {
        const found = QUOTES_WORDS.test(path) ? undefined : NARRATOR.exec(line)?.[0]
        return found === undefined
          ? null
          : `${found}: use a technical term (report, notify, repair, request, all, none)`
      }),
  },
  {
    name: 'no file is named after what it is not',
    find: (repository) =>
      filesAt(repository, /(^|\/)(utils?|helpers?|misc|common|stuff)(\.ts|\/)/).map(([path]) => ({
        path,
        message: 'a name for anything: say what is in it',
      })),
  },
  { name: 'documents lead somewhere', find: findDeadLinks },
  { name: 'documents quote tests that exist', find: findMisquotedTests },
  { name: 'a threat has tests, and they exist', find: findUntestedThreats },
  { name: 'alerts name metrics and pages that exist', find: findDeafAlerts },
]

function findMigrationHoles(repository: Repository): Finding[] {
  const found = filesAt(repository, /^apps\/server\/migrations\//)
  return [
    ...found
      .filter(([path]) => !/\/\d{4}_[a-z_]+\.sql$/.test(path))
      .map(([path]) => ({ path, message: 'is named NNNN_words.sql' })),
    ...findHoles(found.map(([path]) => path)),
  ]
}

/**
 * From 0022 on: no release is before the schemas of the first version, whose files stay as they were applied.
 */
function findUnsaidBearers(repository: Repository): Finding[] {
  return filesAt(repository, /^apps\/server\/migrations\/(?!00[01]\d_|002[01]_)\d/)
    .filter(([, text]) => !/^-- bears: (previous|none)\n/.test(text))
    .map(([path]) => ({
      path,
      line: 1,
      message:
        'write "-- bears: previous" as the first line when processes of the release before can work ' +
        'on what it leaves, else "-- bears: none"',
    }))
}

function findDecisionHoles(repository: Repository): Finding[] {
  return findHoles(
    filesAt(repository, /^docs\/decisions\/\d/).map(([path]) => path),
    1,
  )
}

/** A page that replaces several has all of their numbers: `0052-to-0060-…`. */
function findHoles(paths: readonly string[], first = 0): Finding[] {
  let next = first
  return [...paths].sort().flatMap((path) => {
    const [, from, to = from] = /\/(\d{4})(?:-to-(\d{4}))?[^/]*$/.exec(path) ?? []
    const expected = String(next).padStart(4, '0')
    next = to === undefined ? next + 1 : Number(to) + 1
    return from === expected ? [] : [{ path, message: `the next number is ${expected}` }]
  })
}

function findUnexplainedDependencies(repository: Repository): Finding[] {
  const page = 'docs/decisions/dependencies.md'
  const text = repository.files.get(page) ?? ''
  const explained = new Set([...text.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name))
  const used = new Map(
    manifests(repository).flatMap(({ path, versions }) =>
      Object.keys(versions)
        .filter((name) => !name.startsWith('@tradepost/'))
        .map((name) => [name, path] as const),
    ),
  )
  return [
    ...[...used]
      .filter(([name]) => !explained.has(name))
      .map(([name, path]) => ({ path, message: `${name} has no line in ${page}` })),
    ...[...explained]
      .filter((name) => !used.has(name))
      .map((name) => ({ path: page, message: `explains ${name}, which nothing uses` })),
  ]
}

function manifests(
  repository: Repository,
): { readonly path: string; readonly versions: Record<string, string> }[] {
  return filesAt(repository, /(^|\/)package\.json$/).map(([path, text]) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text) as Record<
      string,
      Record<string, string>
    >
    return { path, versions: { ...dependencies, ...devDependencies, ...optionalDependencies } }
  })
}

/**
 * Links between documents lead to files; so do paths in backticks, so that a page cannot name a test
 * that does not exist.
 */
function findDeadLinks(repository: Repository): Finding[] {
  const folders = new Set([...repository.files.keys()].flatMap(foldersOf))
  const exists = (path: string): boolean =>
    repository.files.has(path) || folders.has(path.replace(/\/$/, ''))
  return eachLine(repository, DOCUMENTS, (line, path) => {
    const here = path.split('/').slice(0, -1).join('/')
    const links = [...line.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ target, at: resolve(here, target) }))
    const paths = [...line.matchAll(/`((?:apps|packages|tests|tools|docs|bench)\/[\w./@-]+)`/g)]
      .map(([, target = '']) => target)
      .map((target) => ({ target, at: target }))
    const dead = [...links, ...paths].find(({ at }) => !exists(at))
    return dead ? `${dead.target} leads nowhere` : null
  })
}

/** `path.ts`: “name”, “another name”. A promise in a document stands and falls with its test. */
function findMisquotedTests(repository: Repository): Finding[] {
  return eachLine(repository, DOCUMENTS, (line) => {
    for (const [, path = '', quotes = ''] of line.matchAll(
      /`([\w./-]+\.ts)`: ((?:“[^”]+”(?:, )?)+)/g,
    )) {
      for (const [, name = ''] of quotes.matchAll(/“([^”]+)”/g)) {
        const problem = missingTest(repository, path, name)
        if (problem !== null) return problem
      }
    }
    return null
  })
}

/** A threat, or a case of a chain, is a line; below it are its tests, each with the path of its file. */
function findUntestedThreats(repository: Repository): Finding[] {
  return filesAt(repository, /^tests\/(threats|chain-cases)\.txt$/).flatMap(([list, text]) => {
    const lines = text.split('\n')
    return lines.flatMap((content, i) => {
      const [path = '', ...name] = content.trim().split(': ')
      const message = content.startsWith('  ')
        ? missingTest(repository, path, name.join(': '))
        : /^[^#\s]/.test(content) && !lines[i + 1]?.startsWith('  ')
          ? 'no test is about it'
          : null
      return message === null ? [] : [{ path: list, line: i + 1, message }]
    })
  })
}

/** `name` empty: the whole file. */
function missingTest(repository: Repository, path: string, name: string): string | null {
  const text = repository.files.get(path)
  if (text === undefined) return `${path} leads nowhere`
  return text.includes(name) ? null : `${path} has no test “${name}”`
}

function findDeafAlerts(repository: Repository): Finding[] {
  const code = filesAt(repository, /^apps\/server\/src\/.*(?<!\.test)\.ts$/)
    .map(([, text]) => text)
    .join('\n')
  return eachLine(repository, /^(docs\/runbooks\/.*\.md|deploy\/prometheus\/.*\.yml)$/, (line) => {
    const metrics = [...line.matchAll(/\btradepost_([a-z_]+)/g)]
      .map(([, name = '']) => name.replace(/_(bucket|count|sum)$/, ''))
      // The library names its metrics of the runtime itself; `tests/observability` scrapes them.
      .filter((name) => !/^(nodejs|process)_/.test(name))
    const unknown = metrics.find((name) => !code.includes(`'${name}'`))
    if (unknown !== undefined) return `nothing measures ${unknown}`
    const page = /runbook: ([\w./-]+)/.exec(line)?.[1]
    return page !== undefined && !repository.files.has(page) ? `${page} leads nowhere` : null
  })
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

function resolve(folder: string, target: string): string {
  const parts: string[] = target.startsWith('/') ? [] : folder.split('/').filter(Boolean)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
