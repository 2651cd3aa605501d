// A reader of a command's output may leave before its end, as `| head` does.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { ROOT } from '../support/child.ts'

/** Runs it with an output that is closed, as soon as it says something or before. */
async function readNothing(
  program: string,
  args: readonly string[],
): Promise<{ code: number | null; stderr: string }> {
  // A runner that finds this would report to ours.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [join(ROOT, program), ...args], { env })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stderr }
}

it('the operator’s commands end quietly when their output is read no further', async () => {
  assert.deepEqual(await readNothing('apps/server/src/main/ops.ts', ['help']), {
    ...{ code: 0, stderr: '' },
  })
})

it('so do the project’s own commands', async () => {
  assert.deepEqual(await readNothing('tools/check.ts', ['--help']), { code: 0, stderr: '' })
})

it('a run of tests ends what it has started, and is no success', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-closed-'))
  try {
    const path = join(folder, 'endless.test.ts')
    writeFileSync(
      path,
      "import { it } from 'node:test'\nit('a', () => {})\nit('b', () => new Promise((r) => setTimeout(r, 3e5)))\n",
    )
    assert.deepEqual(await readNothing('tools/test.ts', [path]), { code: 130, stderr: '' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
