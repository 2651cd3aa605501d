import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

const RUNNER = join(import.meta.dirname, 'test.ts')

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-runner-'))
})
after(() => rmSync(folder, { recursive: true }))

/** Writes test files and runs them; the exit code and what was printed. */
async function runAll(
  texts: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<{ code: number; printed: string; said: string }> {
  const paths = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, `${name}.test.ts`)
    writeFileSync(path, `import { it } from 'node:test'\n${text}\n`)
    return path
  })
  // A runner that finds this would report to ours.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, [RUNNER, ...options, ...paths], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout, said: stderr }),
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

it('with --again a file that fails once runs once more, and the run names it and ends with 0', async () => {
  const mark = JSON.stringify(join(folder, 'ran'))
  const texts = {
    good: "it('good', () => {})",
    once: `import { existsSync, writeFileSync } from 'node:fs'
      it('once', () => {
        if (existsSync(${mark})) return
        writeFileSync(${mark}, '')
        throw new Error('on purpose')
      })`,
  }
  const { code, printed } = await runAll(texts, ['--again'])
  assert.equal(code, 0)
  assert.match(printed, /ℹ fail 1[\s\S]*UNSTEADY: \S*once\.test\.ts failed, and passed/)
  rmSync(join(folder, 'ran'))
  assert.equal((await runAll(texts)).code, 1, 'without it nothing runs again')
})

it('with --again a file that fails twice ends with 1, and so do three files that fail', async () => {
  const bad = "it('bad', () => { throw new Error('on purpose') })"
  const twice = await runAll({ bad }, ['--again'])
  assert.equal(twice.code, 1)
  assert.equal(twice.printed.match(/✖ bad \(/g)?.length, 4, 'as they run, and at the end')
  const three = await runAll({ bad, worse: bad, worst: bad }, ['--again'])
  assert.equal(three.code, 1)
  assert.doesNotMatch(three.printed, /UNSTEADY/)
})

it('a file that cannot be read ends with 1', async () => {
  const { code } = await runAll({ good: "it('good', () => {})", broken: "import './absent.ts'" })
  assert.equal(code, 1)
})

it('an unknown option is refused with 2 before anything runs', async () => {
  const { code, printed, said } = await runAll({ good: "it('good', () => {})" }, ['--watch'])
  assert.equal(code, 2)
  assert.equal(printed, '')
  assert.match(said, /^npm test has no option --watch\. Its options: --changed, .*--help\.$/m)
})
