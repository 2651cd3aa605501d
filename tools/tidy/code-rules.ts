// Rules about source files that neither the compiler, the linter nor the walls can hold.
import {
  eachLine,
  type Finding,
  filesAt,
  isTest,
  type Repository,
  type Rule,
} from './repository.ts'

const CODE = /\.(ts|mjs)$/
const WRITTEN = /\.(ts|mjs|sql|md|json)$|^\.ci\//
const GENERATED = /^(package-lock\.json|docs\/openapi\/)/

const MAX_COLUMNS_OF_A_COMMENT = 110
const MAX_LINES = 450
const MAX_LINES_OF_A_TEST = 600

/** Files that may be longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'packages/contract/src/errors.ts':
    'one list: a number taken twice is seen when all are in one place',
  'packages/sdk/src/generated/market.ts':
    'generated: one file a topic, with the words of each field',
  'packages/sdk/src/generated/shared.ts':
    'generated: what several topics share, with the words of each field',
}

export const codeRules: readonly Rule[] = [
  {
    // The formatter holds code to 100 columns and leaves comments as they are.
    name: 'a comment can be read without scrolling',
    find: (repository) =>
      eachLine(repository, CODE, (line) => {
        const columns = [...line].length
        if (columns <= MAX_COLUMNS_OF_A_COMMENT || /https?:\/\//.test(line)) return null
        return /^\s*(\/\/|\*|\/\*)/.test(line)
          ? `${columns} columns; at most ${MAX_COLUMNS_OF_A_COMMENT}`
          : null
      }),
  },
  {
    name: 'a file is short',
    find: (repository) =>
      filesAt(repository, /\.ts$/).flatMap(([path, text]) => {
        const lines = text.split('\n').length - 1
        const limit = isTest(path) ? MAX_LINES_OF_A_TEST : MAX_LINES
        const isLong = lines > limit
        if (path in LONG_FILES) {
          return isLong ? [] : [{ path, message: 'no longer needs its line in LONG_FILES' }]
        }
        return isLong ? [{ path, message: `${lines} lines; look for a seam before ${limit}` }] : []
      }),
  },
  {
    name: 'nothing is left for later or switched off',
    find: (repository) =>
      eachLine(repository, /\.(ts|mjs|sql)$/, (line) => {
        const found =
          /\b(TO.?DO|FIX.?ME|XXX|HACK)\b(?=[:\s(]|$)/.exec(line)?.[0] ??
          /\b(?:test|it|describe|suite|t)\.(?:only|skip|todo)\b/.exec(line)?.[0] ??
          /@ts-(?:ignore|nocheck|expect-error)\b|\bdebugger\b(?=;?$)/.exec(line)?.[0]
        return found === undefined ? null : `${found}: finish it, or say in an issue why not`
      }),
  },
  {
    name: 'the server and the packages write logs, not to the console',
    find: (repository) =>
      eachLine(repository, /^(apps\/server|packages)\/.*\.ts$/, (line, path) =>
        !isTest(path) && /\bconsole\.\w+\(/.test(line) ? 'console is not a log' : null,
      ),
  },
  {
    name: 'everything that is exported has a name',
    find: (repository) =>
      eachLine(repository, /\.ts$/, (line) =>
        /^export default\b/.test(line) ? 'a default export has no name to search for' : null,
      ),
  },
  {
    name: 'only the configuration reads the environment',
    find: (repository) =>
      eachLine(repository, /^(apps|packages)\/.*\.ts$/, (line, path) =>
        /\bprocess\.env\b/.test(line) &&
        !isTest(path) &&
        !/^apps\/server\/src\/main\/(config|settings)\.ts$|^apps\/(sandbox|signer)\/src\/(main|run)\.ts$/.test(
          path,
        )
          ? 'settings are read by main/config.ts and handed down'
          : null,
      ),
  },
  {
    name: 'time and chance are injected',
    find: (repository) =>
      eachLine(
        repository,
        /^apps\/server\/src\/(modules|operations|edges|wire)\/.*\.ts$/,
        (line, path) => {
          if (isTest(path)) return null
          const found = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(/.exec(
            line,
          )?.[0]
          return found === undefined ? null : `${found}) cannot be moved by a test`
        },
      ),
  },
  {
    name: 'money is never a float',
    find: (repository) =>
      eachLine(repository, /^apps\/server\/src\/(modules|kernel)\/.*\.ts$/, (line) => {
        const found = /\b(parseFloat|toFixed)\(/.exec(line)?.[0]
        return found === undefined ? null : `${found}) belongs to wire/, where decimals are made`
      }),
  },
  {
    name: 'a file ends with one line break, and no line with a space',
    find: (repository) => [
      ...filesAt(repository, WRITTEN)
        .filter(([path]) => !GENERATED.test(path))
        .filter(([, text]) => text !== '' && !/[^\n]\n$/.test(text))
        .map(([path]) => ({ path, message: 'ends without a line break, or with more than one' })),
      ...eachLine(repository, WRITTEN, (line) =>
        /[ \t\r]$/.test(line) ? 'a space at the end of the line' : null,
      ),
    ],
  },
  { name: 'tests stand beside the code', find: findStrayTests },
  { name: 'what is exported is named in another file', find: findUnusedExports },
  { name: 'a test of an operation names the statuses that it proves', find: findUnnamedStatuses },
]

const EXPORTING = /^(apps|packages\/cli|tools|tests|bench)\/.*\.tsx?$/
const EXPORT = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm
const NAME = /[A-Za-z_$][\w$]*/g

/** By names alone, so a name that another file uses for something else hides a finding. */
function findUnusedExports(repository: Repository): Finding[] {
  const filesWith = new Map<string, number>()
  for (const [, text] of filesAt(repository, /\.(tsx?|mjs|json)$/)) {
    for (const name of new Set(text.match(NAME))) {
      filesWith.set(name, (filesWith.get(name) ?? 0) + 1)
    }
  }
  return filesAt(repository, EXPORTING).flatMap(([path, text]) =>
    [...text.matchAll(EXPORT)]
      .filter(([, name = '']) => filesWith.get(name) === 1)
      .map(([, name]) => ({ path, message: `${name} is exported, and no other file names it` })),
  )
}

function findStrayTests(repository: Repository): Finding[] {
  const folders = new Set(
    filesAt(repository, /\.ts$/)
      .filter(([path]) => !path.endsWith('.test.ts'))
      .map(([path]) => folderOf(path)),
  )
  return filesAt(repository, /\.(test|spec)\.\w+$|__tests__/).flatMap(([path, text]) => {
    const say = (message: string): Finding[] => [{ path, message }]
    if (!/(^|\/)[a-z0-9-]+(\.\d{3}(-\d{3})*)?(\.db)?\.test\.ts$/.test(path))
      return say('is named x.test.ts or x.db.test.ts')
    if (!path.startsWith('tests/') && !folders.has(folderOf(path)))
      return say('has no code beside it')
    if (
      /\btestDatabase\(/.test(text) &&
      /^(apps|packages)\//.test(path) &&
      !path.endsWith('.db.test.ts')
    ) {
      return say('uses a database: name it x.db.test.ts')
    }
    return []
  })
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

const OPERATION_TEST =
  /^apps\/server\/src\/edges\/http\/(?:merchant|partner|dashboard)\/[^/]+\/[^/]+\.db\.test\.ts$/

/** `fund.200-402.db.test.ts` proves 200, and 402 in a test whose title begins with `402: `. */
function findUnnamedStatuses(repository: Repository): Finding[] {
  return filesAt(repository, OPERATION_TEST).flatMap(([path, text]) => {
    const named = /\.(\d{3}(?:-\d{3})*)\.db\.test\.ts$/.exec(path)?.[1]?.split('-') ?? []
    const titled = new Set(
      [...text.matchAll(/\b(?:test|it)\(\s*['`](\d{3}): /g)].map(([, status]) => status),
    )
    const proven = [...new Set(['200', ...titled])].sort()
    return named.join('-') === proven.join('-')
      ? []
      : [{ path, message: `its titles prove ${proven.join('-')}: say so in its name` }]
  })
}
