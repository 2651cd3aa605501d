import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { type Log, silentLog } from '../process/log.ts'
import { until } from '../testing/until.ts'
import { noValkey, startValkey } from '../testing/valkey-server.ts'
import { luaScript, openValkey, type Valkey } from './valkey.ts'

const ADD = luaScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")

test('a store that is away at the start is not waited for long, and its password appears nowhere', async () => {
  const lines: string[] = []
  const note = (fields: object, message: string): void => {
    lines.push(JSON.stringify({ ...fields, message }))
    for (const value of Object.values(fields)) lines.push(String(value))
  }
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const startedMs = performance.now()
  const valkey = await openValkey({ url: 'redis://:hunter2@127.0.0.1:9', log })
  assert.ok(performance.now() - startedMs < 20_000)
  assert.equal(valkey.connection(), null)
  await assert.rejects(valkey.runScript(ADD, ['k'], ['1']))
  valkey.close()
  assert.equal(
    lines.filter((line) => line.includes('is lost"')).length,
    1,
    'one line, not a stream',
  )
  assert.ok(!lines.join('').includes('hunter2'))
})

test('something else that listens there does not keep the process from starting', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const valkey = await openValkey({ url: `redis://127.0.0.1:${port}`, log: silentLog })
  assert.equal(valkey.connection(), null)
  valkey.close()
  silent.close()
})

test('a script runs whether the store knows it or not, and connections are counted', {
  skip: noValkey,
}, async () => {
  const server = await startValkey()
  const valkey: Valkey = await openValkey({ url: server.url, log: silentLog })
  assert.equal(valkey.connection(), 1)
  assert.equal(await valkey.runScript(ADD, ['k'], ['2']), 2)
  assert.equal(await valkey.runScript(ADD, ['k'], ['3']), 5)
  await server.kill()
  await until('the loss is seen', () => valkey.connection() === null)
  await server.start()
  await until('it is back', () => valkey.connection() === 2)
  assert.equal(await valkey.runScript(ADD, ['k'], ['1']), 1)
  valkey.close()
  await server.stop()
})
