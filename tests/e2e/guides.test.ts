// The code of the guides, as a reader would run it: compiled against the SDK, then run against the service
// with its sandbox. A page cannot promise what does not work.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { ROOT } from '../support/child.ts'
import { createClient } from '../support/client.ts'
import { type Guide, guides, readGuide } from '../support/guides.ts'
import { controlOf, SMALL_DATASET } from '../support/sandbox.ts'
import { type Demo, newSecretsKey, readDemo, type Server, startServer } from '../support/server.ts'
import { untilStocked } from '../support/stack.ts'

/** What the widest page shows without being pushed aside. */
const COLUMNS = 88
const SDK = join(ROOT, 'packages/sdk/src')
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'tradepost-guides-'))
let database: TestDatabase
let server: Server
let demo: Demo
let hookPort: number

before(async () => {
  hookPort = await freePort()
  database = await testDatabase({ poolSize: 1 })
  server = await startServer('all-in-one', {
    ...SMALL_DATASET,
    DATABASE_URL: database.url,
    SECRETS_KEY: newSecretsKey(),
    SANDBOX_CHAINS: 'base',
    DATA_DIR: folder,
    SANDBOX_PORT: '0',
    WEBHOOK_URL: `http://127.0.0.1:${hookPort}/hook`,
  })
  demo = readDemo(folder)
  const merchant = createClient({ baseUrl: demo.baseUrl, apiKey: demo.merchant.apiKey })
  await untilStocked(merchant, controlOf(demo.sandboxUrl))
})

after(async () => {
  const { code } = await server.end('SIGTERM')
  await database.close()
  rmSync(folder, { recursive: true, force: true })
  assert.equal(code, 0, server.said())
})

it('a block is run, or says why not', () => {
  assert.throws(() => readGuide('x', '```js\n1\n```\n'), /neither run nor excused/)
  const { program, prints } = readGuide(
    'x',
    '```ts\na\n```\n\n<!-- prints: /1/ -->\n\n```ts\nb\n```\n',
  )
  assert.equal(program, 'a\n\nb\n')
  assert.deepEqual(prints.program, [/1/])
})

it('no line of code is wider than its page', () => {
  const wide = guides().flatMap(({ name, program, script, refused, others }) =>
    [program, script, ...refused, ...others.map((other) => other.program)]
      .flatMap((code) => code.split('\n'))
      .filter((line) => line.length > COLUMNS)
      .map((line) => `${name}: ${line}`),
  )
  assert.deepEqual(wide, [])
})

it('the guide on the sandbox knows every test token', () => {
  const tokensOf = (path: string): string[] =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^\| `([a-z]{6}00)`/gm)]
      .map(([, token = '']) => token)
      .sort()
  const tokens = tokensOf('apps/sandbox/README.md')
  assert.ok(tokens.length >= 10)
  assert.deepEqual(tokensOf('docs/guides/sandbox.md'), tokens)
})

it('every program compiles in a strict project', () => {
  const files = guides()
    .filter(({ program }) => program !== '')
    .map(({ name, program }) => writeProgram(name, program))
  assert.ok(files.length >= 6)
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  })
  const found = ts
    .getPreEmitDiagnostics(program)
    // The SDK's source is checked with settings of its own.
    .filter((one) => one.file === undefined || files.includes(one.file.fileName))
    .map(
      (one) => `${one.file?.fileName}: ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`,
    )
  assert.deepEqual(found, [])
})

for (const guide of guides()) {
  const { name, program, script, refused, others, prints } = guide
  if (script !== '') {
    it(`the shell of ${name} does what the page says`, async () => {
      // A failed response ends the script: curl gets the option for it where the page shows the response.
      assertPrints(
        guide,
        'script',
        await shell(`curl() { command curl --fail-with-body "$@"; }\n${script}`),
      )
    })
  }
  for (const [i, call] of refused.entries()) {
    it(`call ${i + 1} of ${name} is refused as the page says`, async () => {
      const said = await shell(call)
      assert.match(said, /"success":false/)
      assert.match(said, prints.refused[i] ?? /./)
    })
  }
  for (const { language, program: text } of others) {
    it(`the ${language} program of ${name} does what the page says`, async (context) => {
      const [command = '', ...args] = COMMANDS[language] ?? []
      const path = join(folder, `${name}.${language}`.replace('python', 'py'))
      writeFileSync(path, text)
      const options = {
        env: { ...environment(), HOME: folder, GO111MODULE: 'off' },
        timeout: 120_000,
      }
      const said = await run(command, [...args, path], options).catch((error) => {
        if (error.code !== 'ENOENT') throw error
        context.skip(`${command} is not installed`)
      })
      for (const expected of said ? prints.other : []) assert.match(said?.stdout ?? '', expected)
    })
  }
  if (program !== '') {
    it(`the program of ${name} does what the page says`, async () => {
      const { stdout, stderr } = await run(process.execPath, [writeProgram(name, program)], {
        env: environment(),
        timeout: 120_000,
      })
      assert.equal(stderr, '')
      assertPrints(guide, 'program', stdout)
    })
  }
}

/** How the program of a file is run. */
const COMMANDS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  python: ['python3'],
  php: ['php'],
  go: ['go', 'run'],
}

async function shell(script: string): Promise<string> {
  const options = { env: environment(), timeout: 120_000 }
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], options)
  return stdout
}

function assertPrints({ name, prints }: Guide, kind: 'program' | 'script', said: string): void {
  assert.ok(kind === 'script' || prints[kind].length > 0, `${name} says what its program prints`)
  for (const expected of prints[kind]) assert.match(said, expected)
}

const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  TRADEPOST_URL: demo.baseUrl,
  TRADEPOST_API_KEY: demo.merchant.apiKey,
  TRADEPOST_PARTNER_KEY: demo.partner.apiKey,
  TRADEPOST_WEBHOOK_SECRET: demo.merchant.webhookSecret,
  SANDBOX_URL: demo.sandboxUrl,
  HOOK_PORT: String(hookPort),
})

/** The SDK's name stands for its source: what is published is built from it, which its own tests hold. */
function writeProgram(name: string, program: string): string {
  const path = join(folder, `${name.toLowerCase()}.mts`)
  const code = program.replace(/'@tradepost\/sdk(\/[a-z/]+)?'/g, (_all, part = '') => {
    const file = join(SDK, `${part}.ts`)
    return JSON.stringify(existsSync(file) ? file : join(SDK, part, 'index.ts'))
  })
  // The folder has no packages of its own.
  const library = fileURLToPath(import.meta.resolve('standardwebhooks'))
  writeFileSync(path, code.replace("'standardwebhooks'", JSON.stringify(library)))
  return path
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
