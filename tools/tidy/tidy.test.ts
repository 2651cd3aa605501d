// Every rule of tidy is shown a repository that breaks it, and one that does not: a rule that finds nothing
// may be a rule that looks at nothing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeRules } from './code-rules.ts'
import { houseRules } from './house-rules.ts'
import { lookRules } from './look-rules.ts'
import { type Finding, type Repository, repositoryOf } from './repository.ts'

const rules = [...codeRules, ...houseRules, ...lookRules]

function find(name: string, files: Readonly<Record<string, string>>): Finding[] {
  const rule = rules.find((candidate) => candidate.name === name)
  assert.ok(rule, `there is no rule "${name}"`)
  const repository: Repository = repositoryOf(files)
  return rule.find(repository)
}

interface Case {
  readonly rule: string
  /** Each file alone breaks the rule. */
  readonly broken: Readonly<Record<string, string>>
  readonly kept: Readonly<Record<string, string>>
}

const SOURCE = 'apps/server/src/modules/money/ledger/fund.ts'
const lines = (count: number): string => 'const a = 1\n'.repeat(count)
const later = ['TO', 'DO'].join('')
const only = ['it', 'only'].join('.')
const home = ['', 'home', 'someone', 'x'].join('/')

const cases: readonly Case[] = [
  {
    rule: 'a test of an operation names the statuses that it proves',
    broken: {
      'apps/server/src/edges/http/merchant/fund/fund.db.test.ts': "test('moves money', f)\n",
      'apps/server/src/edges/http/merchant/fund/fund.200.db.test.ts': "it('402: too much', f)\n",
      'apps/server/src/edges/http/partner/buy/buy.200-409.db.test.ts': "it('buys', f)\n",
    },
    kept: {
      'apps/server/src/edges/http/merchant/fund/fund.200-402.db.test.ts':
        "it('moves money', f)\nit('402: too much', f)\n",
      'apps/server/src/edges/http/merchant/remember-accounts.test.ts': "test('remembers', f)\n",
    },
  },
  {
    rule: 'a comment can be read without scrolling',
    broken: { [SOURCE]: `// ${'word '.repeat(30)}\n` },
    kept: { [SOURCE]: `// short\nconst text = '${'word '.repeat(30)}'\n` },
  },
  {
    rule: 'the dashboard speaks from texts/ and calls generated paths only',
    broken: {
      'apps/dashboard/src/queries/keys.ts': "fetch('/dashboard/api/keys')\n",
      'apps/dashboard/src/pages/keys.tsx': 'const page = <Page title="Keys" />\n',
    },
    kept: {
      'apps/dashboard/src/api/routes.ts': "const path = '/dashboard/api/keys'\n",
      'apps/dashboard/src/pages/keys.tsx': 'const page = <Page title={words.title} />\n',
      'apps/dashboard/src/texts/en/keys.ts': "export const keys = { title: 'Keys' }\n",
    },
  },
  {
    rule: 'colours stand in packages/look alone',
    broken: {
      'apps/dashboard/src/kit/a.module.css': '.a {\n  color: #fff;\n}\n',
      'apps/server/docs-site/b.css': '.b {\n  box-shadow: 0 0 4px rgb(0 0 0 / 5%);\n}\n',
      'apps/server/src/edges/http/statement.ts': "const INK = '#15181c'\n",
    },
    kept: {
      'packages/look/look.css': ':root {\n  --ink: #15181c;\n}\n',
      'apps/dashboard/src/kit/a.module.css': '.a {\n  color: var(--ink);\n}\n',
      'apps/server/src/edges/http/docs.ts':
        "import { a } from '#fade/b'\nconst b = '/docs#add-funds'\n",
    },
  },
  {
    rule: 'sizes, radii and distances are tokens of packages/look',
    broken: {
      'apps/dashboard/src/kit/a.module.css': '.a {\n  font-size: 13px;\n}\n',
      'apps/dashboard/src/kit/b.module.css': '.b {\n  border-radius: 0.5rem;\n}\n',
      'apps/sandbox/src/console/c.css': '.c {\n  padding: 0 12px;\n}\n',
    },
    kept: {
      'apps/dashboard/src/kit/a.module.css':
        '.a {\n  padding: 2px var(--space-12);\n  border-radius: 50%;\n  font-size: var(--size-fine);\n}\n',
    },
  },
  {
    rule: 'a file is short',
    broken: { [SOURCE]: lines(451), 'apps/server/src/kernel/x.test.ts': lines(601) },
    kept: { [SOURCE]: lines(450), 'packages/contract/src/errors.ts': lines(451) },
  },
  {
    rule: 'nothing is left for later or switched off',
    broken: { [SOURCE]: `// ${later}: round\n`, 'a.test.ts': `${only}('x', () => {})\n` },
    kept: { [SOURCE]: 'const only = 1\n' },
  },
  {
    rule: 'the server and the packages write logs, not to the console',
    broken: { [SOURCE]: "console.log('x')\n" },
    kept: { 'tools/x.ts': "console.log('x')\n" },
  },
  {
    rule: 'everything that is exported has a name',
    broken: { [SOURCE]: 'export default 1\n' },
    kept: { [SOURCE]: 'export const one = 1\n' },
  },
  {
    rule: 'only the configuration reads the environment',
    broken: { [SOURCE]: 'process.env.PORT\n', 'apps/server/src/main/api.ts': 'process.env.PORT\n' },
    kept: { 'apps/server/src/main/config.ts': 'process.env\n' },
  },
  {
    rule: 'time and chance are injected',
    broken: {
      [SOURCE]: 'const now = Date.now()\n',
      'apps/server/src/edges/jobs/x.ts': 'const at = new Date()\n',
    },
    kept: {
      'apps/server/src/infra/process/clock.ts': 'new Date()\n',
      [SOURCE]: 'new Date(row.created_at)\n',
    },
  },
  {
    rule: 'money is never a float',
    broken: { [SOURCE]: 'amount.toFixed(2)\n' },
    kept: { 'apps/server/src/wire/money.ts': 'amount.toFixed(2)\n' },
  },
  {
    rule: 'a file ends with one line break, and no line with a space',
    broken: { 'a.md': 'word', 'b.md': 'word\n\n', 'c.sql': 'select 1 \n' },
    kept: { 'a.md': 'word\n', 'package-lock.json': '{}' },
  },
  {
    rule: 'tests stand beside the code',
    broken: {
      'apps/server/src/lonely/x.test.ts': '\n',
      'apps/server/src/kernel/x.spec.ts': '\n',
      'packages/contract/src/x.test.ts': 'await testDatabase()\n',
    },
    kept: { 'tools/x.ts': '\n', 'tools/x.test.ts': '\n', 'tests/invariants/y.db.test.ts': '\n' },
  },
  {
    rule: 'what is exported is named in another file',
    broken: { [SOURCE]: 'export const fund = 1\n', 'tools/x.ts': 'export async function x() {}\n' },
    kept: {
      [SOURCE]: 'export const fund = 1\n',
      'tools/x.ts': "import { fund } from './fund.ts'\n",
    },
  },
  {
    rule: 'every module has a README and a door',
    broken: { [SOURCE]: '\n' },
    kept: {
      'apps/server/src/modules/money/ledger/README.md': '# Ledger\n',
      'apps/server/src/modules/money/ledger/index.ts': '\n',
    },
  },
  {
    rule: 'a migration says whose processes bear it',
    broken: {
      'apps/server/migrations/0022_more.sql': 'create table a ();\n',
      'apps/server/migrations/0030_more.sql': '-- bears: nearly all\ncreate table a ();\n',
      'apps/server/migrations/0100_more.sql': '\n-- bears: previous\n',
    },
    kept: {
      'apps/server/migrations/0021_payouts.sql': 'create table a ();\n',
      'apps/server/migrations/0022_more.sql': '-- bears: previous\ncreate table a ();\n',
      'apps/server/migrations/0023_less.sql': '-- bears: none\ndrop table a;\n',
    },
  },
  {
    rule: 'migrations are numbered without holes',
    broken: {
      'apps/server/migrations/0001_ledger.sql': '\n',
      'apps/server/migrations/0000-platform.sql': '\n',
    },
    kept: {
      'apps/server/migrations/0000_platform.sql': '\n',
      'apps/server/migrations/0001_ledger.sql': '\n',
    },
  },
  {
    rule: 'decisions are numbered without holes',
    broken: { 'docs/decisions/0002-b.md': '\n' },
    kept: {
      'docs/decisions/0001-a.md': '\n',
      'docs/decisions/0002-to-0004-b.md': '\n',
      'docs/decisions/0005-c.md': '\n',
      'docs/decisions/dependencies.md': '\n',
    },
  },
  {
    rule: 'every dependency is explained',
    broken: {
      'package.json': '{"dependencies": {"pg": "8.0.0"}}',
      'docs/decisions/dependencies.md': '| `left` | gone |\n',
    },
    kept: {
      'package.json': '{"dependencies": {"pg": "8.0.0"}}',
      'docs/decisions/dependencies.md': '| `pg` | it is there |\n',
    },
  },
  {
    rule: 'dependencies are exact',
    broken: { 'package.json': '{"dependencies": {"pg": "^8.0.0"}}' },
    kept: { 'package.json': '{"devDependencies": {"pg": "8.0.0-beta.1"}}' },
  },
  {
    rule: 'the lock file knows no address',
    broken: {
      'package-lock.json': '"resolved": "https://example.com/pg.tgz"',
      '.npmrc': 'registry=https://example.com\n',
    },
    kept: { 'package-lock.json': '"resolved": "packages/contract"', '.npmrc': 'save-exact=true\n' },
  },
  {
    rule: 'version managers choose the Node that the scripts run on',
    broken: { 'package.json': '{"dependencies": {"node": "24.0.0"}}', '.nvmrc': '24.1.0\n' },
    kept: { 'package.json': '{"dependencies": {"node": "24.0.0"}}', '.nvmrc': '24.0.0\n' },
  },
  {
    rule: 'no file names a path of one machine',
    broken: { 'README.md': `run it in ${home}\n` },
    kept: { 'README.md': 'GET /merchant/users/home/x\n' },
  },
  {
    rule: 'one thing has one word',
    broken: { 'README.md': 'a subuser\n', [SOURCE]: '// the sub user\n' },
    kept: { 'README.md': 'a sub-user\n', [SOURCE]: 'const subUser = 1\n' },
  },
  {
    rule: 'a sentence has technical terms',
    broken: {
      'README.md': `every client is ${'to' + 'ld'}\n`,
      'tests/e2e/buy.test.ts': `it('pays no${'body'}', f)\n`,
      'apps/server/migrations/0001_ledger.sql': `-- Some${'body'} waits.\n`,
      'deploy/prometheus/alerts.yml': `# ${'me' + 'nds'} itself\n`,
    },
    kept: {
      'README.md': 'retold, believes, shelves, unheard-of\n',
      'docs/glossary.md': `| search index | … | ${'she' + 'lf'} |\n`,
    },
  },
  {
    rule: 'no file is named after what it is not',
    broken: { 'apps/server/src/kernel/utils.ts': '\n', 'tools/helpers/x.ts': '\n' },
    kept: { 'apps/server/src/kernel/money.ts': '\n' },
  },
  {
    rule: 'documents lead somewhere',
    broken: { 'docs/a.md': '[b](b.md)\n', 'README.md': '`apps/nowhere.ts`\n' },
    kept: {
      'docs/a.md':
        '[itself](./a.md#top), [up](../README.md), [out](https://example.com), `docs/`\n',
      'README.md': '`docs/a.md`\n',
    },
  },
  {
    rule: 'documents quote tests that exist',
    broken: {
      'SECURITY.md': '`apps/x.test.ts`: “a promise”\n',
      'docs/a.md': '`apps/cases.ts`: “a promise”\n',
    },
    kept: {
      'SECURITY.md': '`apps/x.test.ts`: “a promise”, “another”\n',
      'apps/x.test.ts': "it('a promise')\nit('another')\n",
    },
  },
  {
    rule: 'a threat has tests, and they exist',
    broken: {
      'tests/threats.txt': '# Threats\n\nA race\n  apps/x.test.ts: a promise\n',
      'tests/chain-cases.txt': 'D1: it is gone\n',
    },
    kept: {
      'tests/chain-cases.txt': 'D1: it is gone\n  apps/x.test.ts: a promise\n',
      'tests/threats.txt': '# Threats\n\nA race\n  apps/x.test.ts: a promise\n',
      'apps/x.test.ts': "it('a promise')\n",
    },
  },
  {
    rule: 'alerts name metrics and pages that exist',
    broken: {
      'deploy/prometheus/alerts.yml': 'expr: tradepost_nothing > 0\n',
      'docs/runbooks/other.md': '`tradepost_nothing` is 0\n',
      'deploy/prometheus/other.yml': 'runbook: docs/runbooks/nowhere.md\n',
    },
    kept: {
      'deploy/prometheus/alerts.yml': 'expr: tradepost_age > 0\nrunbook: docs/runbooks/age.md\n',
      'docs/runbooks/age.md': 'old\n',
      'apps/server/src/x.ts': "gauge('age')\n",
    },
  },
]

describe('tidy', () => {
  for (const { rule, broken, kept } of cases) {
    it(`holds that ${rule}`, () => {
      for (const [path, text] of Object.entries(broken)) {
        assert.notDeepEqual(find(rule, { [path]: text }), [], `${path} breaks the rule`)
      }
      assert.deepEqual(find(rule, kept), [])
    })
  }

  it('shows every rule a repository that breaks it', () => {
    assert.deepEqual(cases.map(({ rule }) => rule).sort(), rules.map(({ name }) => name).sort())
  })
})
