import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { findFreePort, isFreePort } from './ports.ts'

test('a port that is found is free, and none that an outgoing connection may be given', async () => {
  for (let i = 0; i < 20; i++) {
    const port = await findFreePort()
    assert.ok(port >= 20_000 && port < 32_768, `${port}`)
    assert.equal(await isFreePort(port), true)
  }
})

test('a port with a listener is not free, and neither is an invalid port', async (t) => {
  const port = await findFreePort()
  const server = createServer()
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  assert.equal(await isFreePort(port), false)
  assert.equal(await isFreePort(0), false)
})
