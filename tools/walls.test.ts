// Each wall is run into: a small tree with one planted violation for every rule, and the checker must
// name every rule. A path that was renamed would otherwise leave a wall that guards nothing.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { moduleArrows } from './module-arrows.ts'

const ROOT = join(import.meta.dirname, '..')
const SERVER = 'apps/server/src'
const DOOR = `${SERVER}/modules/money/ledger/index.ts`
const PRIVATE = `${SERVER}/modules/money/ledger/store.ts`
const TEST = `${SERVER}/infra/testing/database.ts`

/** From a rule to a file that breaks it and what that file imports. */
const violations: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'no-circular': [`${SERVER}/kernel/money.ts`, `${SERVER}/kernel/id.ts`],
  'module-by-its-door': [`${SERVER}/modules/trading/buying/buy.ts`, PRIVATE],
  'outsiders-by-the-door': [`${SERVER}/edges/http/merchant/fund.ts`, PRIVATE],
  'adapters-see-ports-only': [`${SERVER}/adapters/market-a/index.ts`, DOOR],
  'adapters-are-separate': [
    `${SERVER}/adapters/market-b/index.ts`,
    `${SERVER}/adapters/market-a/words.ts`,
  ],
  'modules-know-no-edge': [`${SERVER}/modules/money/fx/index.ts`, `${SERVER}/wire/money.ts`],
  'modules-speak-no-wire': [`${SERVER}/modules/money/pricing/price.ts`, '@tradepost/contract'],
  'modules-touch-no-io': [`${SERVER}/modules/events/outbox/store.ts`, 'pg'],
  'adapters-know-no-edge': [`${SERVER}/adapters/fx/index.ts`, `${SERVER}/wire/money.ts`],
  'bridges-enter-by-the-door': [`${SERVER}/adapters/bridges/networks.ts`, PRIVATE],
  'operations-are-above-modules': [`${SERVER}/operations/acts/case.ts`, `${SERVER}/wire/money.ts`],
  'bridges-know-no-edge': [
    `${SERVER}/adapters/bridges/callback.ts`,
    `${SERVER}/edges/http/shared/server.ts`,
  ],
  'edges-know-no-adapter': [
    `${SERVER}/edges/jobs/follow.ts`,
    `${SERVER}/adapters/market-a/words.ts`,
  ],
  'edges-are-separate': [`${SERVER}/edges/cli/cases.ts`, `${SERVER}/edges/http/shared/server.ts`],
  'embedded-postgres-is-for-processes': [
    `${SERVER}/infra/database/migrations.ts`,
    'apps/server/embedded-postgres/postgres.ts',
  ],
  'wire-only-translates': [`${SERVER}/wire/merchant/trade.ts`, `${SERVER}/infra/database/db.ts`],
  'shared-edge-knows-no-interface': [
    `${SERVER}/edges/http/shared/server.ts`,
    `${SERVER}/edges/http/merchant/merchant-interface.ts`,
  ],
  'interfaces-are-separate': [
    `${SERVER}/edges/http/partner/buy.ts`,
    `${SERVER}/edges/http/merchant/trades.ts`,
  ],
  'infra-is-below': [`${SERVER}/infra/process/log.ts`, DOOR],
  'kernel-is-the-floor': [`${SERVER}/kernel/page.ts`, `${SERVER}/infra/database/db.ts`],
  'main-is-the-roof': [`${SERVER}/infra/database/leases.ts`, `${SERVER}/main/config.ts`],
  'tests-look-down': [
    `${SERVER}/modules/money/pricing/testing/prices.ts`,
    `${SERVER}/adapters/market-a/words.ts`,
  ],
  'harness-is-outside': [`${SERVER}/infra/jobs/jobs.test.ts`, 'tools/generated.ts'],
  'contract-is-pure': ['packages/contract/src/routes.ts', `${SERVER}/wire/money.ts`],
  'clients-know-the-contract-only': ['packages/sdk/src/index.ts', `${SERVER}/wire/money.ts`],
  'cli-knows-the-sdk-only': ['packages/cli/src/sdk.ts', 'packages/sdk/src/transport.ts'],
  'sandbox-stands-alone': ['apps/sandbox/src/main.ts', `${SERVER}/kernel/assert.ts`],
  'server-knows-no-sandbox': [`${SERVER}/main/sandbox.ts`, 'apps/sandbox/src/dataset.ts'],
  'signer-stands-alone': ['apps/signer/src/server.ts', `${SERVER}/kernel/assert.ts`],
  'signer-is-a-process-of-its-own': [
    `${SERVER}/edges/jobs/keep-cases.ts`,
    'apps/signer/src/keys.ts',
  ],
  'no-tools-in-production': [`${SERVER}/main/api.ts`, 'tools/generated.ts'],
  'no-test-in-production': [`${SERVER}/main/worker.ts`, TEST],
  'not-to-unresolvable': [`${SERVER}/kernel/refusal.ts`, './nowhere.ts'],
  'not-to-development-dependency': [`${SERVER}/main/migrate.ts`, 'fast-check'],
  ...moduleViolations(),
}

/** From each module into one that no arrow of it leads to. */
function moduleViolations(): Record<string, readonly [from: string, to: string]> {
  const modules = Object.keys(moduleArrows)
  return Object.fromEntries(
    Object.entries(moduleArrows).map(([name, arrows]) => {
      const unrelated = modules.find((other) => other !== name && !(other in arrows))
      return [`module-${name}`, [`${folderOf(name)}/planted.ts`, `${folderOf(unrelated)}/index.ts`]]
    }),
  )
}

/** A module is in one of the wings. */
function folderOf(module = ''): string {
  const [folder] = globSync(`${SERVER}/modules/*/${module}`, { cwd: ROOT })
  assert.ok(folder, `no wing has ${module}`)
  return folder
}

/** What may stand: the same arrows, but permitted ones. */
const permitted: readonly (readonly [from: string, to: string])[] = [
  [`${SERVER}/modules/accounts/identity/fund.ts`, '#ledger'],
  [`${SERVER}/modules/accounts/identity/account.ts`, '#kernel/assert'],
  [`${SERVER}/edges/http/merchant/users.ts`, '#ledger'],
  [`${SERVER}/edges/http/merchant/users.db.test.ts`, TEST],
]

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
}

interface Report {
  readonly violations: readonly Violation[]
  readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] }
}

describe('the walls', () => {
  let report: Report
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-walls-'))

  before(async () => {
    plantTree(folder)
    report = await cruise(folder)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [rule, [from]] of Object.entries(violations)) {
    it(`hold: ${rule}`, () => {
      const names = report.violations
        .filter((violation) => violation.from === from || violation.to === from)
        .map((violation) => violation.rule.name)
      assert.ok(names.includes(rule), `${from} breaks ${rule}; reported: ${names.join(', ')}`)
    })
  }

  it('let pass what is permitted', () => {
    for (const [from] of permitted) {
      assert.deepEqual(
        report.violations.filter((violation) => violation.from === from),
        [],
      )
    }
  })

  it('are all run into', () => {
    const rules = report.ruleSetUsed.forbidden.map(({ name }) => name)
    assert.deepEqual(Object.keys(violations).sort(), rules.sort())
  })
})

function plantTree(folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const isPath = (target: string): boolean => /^(apps|packages|tools)\//.test(target)
  const pairs = [...Object.values(violations), ...permitted]

  for (const [, to] of pairs) if (isPath(to)) write(to, 'export const it = 1\n')
  for (const module of Object.keys(moduleArrows)) {
    write(`${folderOf(module)}/index.ts`, 'export const it = 1\n')
  }
  write(`${SERVER}/kernel/assert.ts`, 'export const it = 1\n')
  write('tools/generated.ts', 'export const it = 1\n')
  write(`${SERVER}/kernel/id.ts`, "import './money.ts'\n")
  for (const [from, to] of pairs) {
    const steps = from.split('/').length - 1
    write(from, `import '${isPath(to) ? `${'../'.repeat(steps)}${to}` : to}'\n`)
  }
  for (const manifest of ['package.json', 'apps/server/package.json', 'tsconfig.json']) {
    mkdirSync(dirname(join(folder, manifest)), { recursive: true })
    copyFileSync(join(ROOT, manifest), join(folder, manifest))
  }
  copyFileSync(
    join(ROOT, 'packages/contract/package.json'),
    join(folder, 'packages/contract/package.json'),
  )
  write('packages/contract/src/index.ts', 'export const it = 1\n')
  mkdirSync(join(folder, 'node_modules/@tradepost'), { recursive: true })
  symlinkSync(join(folder, 'packages/contract'), join(folder, 'node_modules/@tradepost/contract'))
  for (const name of ['pg', 'fast-check']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

async function cruise(folder: string): Promise<Report> {
  const command = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const options = ['--config', join(ROOT, 'dependency-cruiser.mjs'), '--output-type', 'json']
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [command, ...options, 'apps', 'packages'],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
      // It ends with the number of violations; only a run that printed nothing has failed.
      (error, stdout, stderr) => (stdout ? resolve(stdout) : reject(error ?? new Error(stderr))),
    )
  })
  return (JSON.parse(output) as { summary: Report }).summary
}
