import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { LONG, WAITING } from './test-files.ts'

const RUNNER = join(import.meta.dirname, 'test.ts')

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-runner-'))
})
after(() => rmSync(folder, { recursive: true }))

/** Writes test files and runs them; the exit code and what was printed. */
async function runAll(
  texts: Readonly<Record<string, string>>,
): Promise<{ code: number; printed: string }> {
  const paths = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, `${name}.test.ts`)
    writeFileSync(path, `import { it } from 'node:test'\n${text}\n`)
    return path
  })
  // A runner that finds this would report to ours.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, [RUNNER, ...paths], { env }, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout }),
    )
  })
}

it('files that pass end with 0, and are counted together', async () => {
  const { code, printed } = await runAll({
    one: "it('a', () => {})\nit('b', () => {})",
    two: "it('c', () => {})",
    three: "it('d', () => {})",
  })
  assert.equal(code, 0)
  for (const name of ['a', 'b', 'c', 'd']) assert.match(printed, new RegExp(`✔ ${name} `))
  assert.equal(printed.match(/ℹ tests 4/g)?.length, 1)
  assert.match(printed, /ℹ pass 4/)
})

it('a failure in any file ends with 1 and is shown again at the end', async () => {
  const { code, printed } = await runAll({
    good: "it('good', () => {})",
    bad: "it('bad', () => { throw new Error('on purpose') })",
    last: "it('last', () => {})",
  })
  assert.equal(code, 1)
  assert.match(printed, /ℹ fail 1/)
  assert.match(printed, /failing tests:[\s\S]*on purpose/)
})

it('a file that cannot be read ends with 1', async () => {
  const { code } = await runAll({ good: "it('good', () => {})", broken: "import './absent.ts'" })
  assert.equal(code, 1)
})

it('the lists of long files name files that exist, once each', () => {
  const all = [...WAITING, ...LONG]
  assert.equal(new Set(all).size, all.length)
  for (const path of all) assert.ok(existsSync(join(import.meta.dirname, '..', path)), path)
})
