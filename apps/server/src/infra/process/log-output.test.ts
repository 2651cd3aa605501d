// What a process writes to its stdout, observed in processes of their own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const OUTPUT = join(import.meta.dirname, 'log-output.ts')
const line = (level: string, n: number): string => `${JSON.stringify({ level, n })}\n`

/** What a process writes that does this with its lines. */
async function linesOf(program: string): Promise<string[]> {
  const code = `import { openOutput } from ${JSON.stringify(OUTPUT)}
    import { writeSync } from 'node:fs'
    const line = (level, n) => JSON.stringify({ level, n }) + '\\n'
    const lines = openOutput()
    ${program}`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    code,
  ])
  return stdout.split(/(?<=\n)/)
}

test('what was gathered is written when the process ends', async () => {
  const lines = await linesOf(`for (let n = 0; n < 500; n++) lines.write(line('info', n))`)
  assert.deepEqual(
    lines,
    Array.from({ length: 500 }, (_, n) => line('info', n)),
  )
})

test('a warning or an error leaves at once, after all lines before it', async () => {
  const lines = await linesOf(`
    lines.write(line('info', 1))
    lines.write(line('error', 2))
    lines.write(line('info', 3))
    writeSync(1, 'now\\n')`)
  assert.deepEqual(lines, [line('info', 1), line('error', 2), 'now\n', line('info', 3)])
})
