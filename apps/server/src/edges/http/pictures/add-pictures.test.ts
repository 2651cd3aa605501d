import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS_LIMITS } from '@tradepost/contract'
import { rateLimits, startTestServer } from '../shared/testing/server.ts'
import { addPictures } from './add-pictures.ts'

test('an address that asks for more pictures than pages show is refused for a while', async (t) => {
  const scale = 3 / ADDRESS_LIMITS.pictures.limit
  const { addresses } = rateLimits({ scale })
  const asked: string[] = []
  const find = async (name: string, size: string) => {
    asked.push(`${name} ${size}`)
    return size === 'small' ? null : Buffer.from('a picture')
  }
  const server = await startTestServer({
    addRoutes: (app, edge) => addPictures(app, edge, { pictures: { find }, addresses }),
  })
  t.after(() => server.close())
  const ask = (path: string) => fetch(`${server.url}/assets/items/${path}`)
  const name = '0123456789abcdef'
  for (const [path, status] of [
    ['nothing/64', 404],
    [`${name}/128`, 404],
    [`${name}/64`, 204],
    [`${name}/256`, 200],
    [`${name}/64`, 204],
    [`${name}/64`, 429],
  ] as const) {
    const answer = await ask(path)
    assert.equal(answer.status, status, path)
    if (status === 200) assert.equal(answer.headers.get('content-type'), 'image/webp')
    if (status === 429) assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  assert.deepEqual(asked, [`${name} small`, `${name} large`, `${name} small`])
})
