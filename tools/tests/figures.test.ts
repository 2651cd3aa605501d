import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import { idleShare, secondsOfEnded } from './figures.ts'

const noCount = !existsSync('/proc/self/stat') && 'this system does not say what a process took'

it('a process that has ended counts with what it waited for, and by what it computed', {
  skip: noCount,
}, () => {
  const compute = `for (const end = process.cpuUsage().user + 300_000; process.cpuUsage().user < end;);`
  const before = secondsOfEnded()
  execFileSync('sh', ['-c', `'${process.execPath}' -e '${compute}'; true`])
  const took = secondsOfEnded() - before
  assert.ok(took >= 0.29, `${took} s`)
})

it('the idle share is that of the time between two readings', () => {
  assert.equal(idleShare({ idle: 10, all: 100 }, { idle: 40, all: 220 }), 0.25)
  assert.equal(idleShare({ idle: 10, all: 100 }, { idle: 10, all: 100 }), 0)
})
