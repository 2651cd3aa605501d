import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startTestServer, type TestServer } from '../shared/testing/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('the root leads to the reference', async () => {
  const answer = await server.call('GET', '/')
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.get('location'), '/docs')
})

test('a document is sent bare and may be asked for again by its tag', async () => {
  const first = await server.call('GET', '/openapi/merchant.json')
  assert.deepEqual(JSON.parse(first.text), { openapi: '3.1.0' })
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  const etag = first.headers.get('etag') ?? ''
  const again = await server.call('GET', '/openapi/merchant.json', {
    headers: { 'if-none-match': etag },
  })
  assert.equal(again.status, 304)
  assert.equal((await server.call('GET', '/openapi/other.json')).status, 404)
})

test('everything that the page loads is of this server, and its policy allows nothing else', async () => {
  const page = await server.call('GET', '/docs')
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.ok(!/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/.test(policy))
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '')
  assert.ok(loaded.length >= 2)
  for (const url of loaded) assert.match(url, /^(\/docs\/|data:,$)/)
  assert.ok(!/<script>|\son\w+=/.test(page.text), 'inline scripts would be blocked')
  for (const url of loaded.filter((url) => url.startsWith('/'))) {
    const script = await server.call('GET', url)
    assert.equal(script.status, 200)
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
  }
})

test('the viewer starts on our document, and would never evaluate text or start workers', async () => {
  const start = await server.call('GET', '/docs/start.js')
  assert.match(start.text, /^Scalar\.createApiReference\('#app', /)
  assert.match(start.text, /"\/openapi\/merchant\.json"/)
  const viewer = await server.call('GET', '/docs/viewer.js')
  assert.match(viewer.text, /createApiReference/)
  // The page's policy forbids these; a new version of the viewer that needs one must be noticed.
  assert.ok(!/\bnew Function\(|\beval\(|new Worker\(/.test(viewer.text))
})

test('large answers travel compressed', async () => {
  const response = await fetch(`${server.url}/docs/viewer.js`, {
    headers: { 'accept-encoding': 'identity' },
  })
  assert.equal(response.headers.get('content-encoding'), null)
  const plain = Buffer.from(await response.arrayBuffer())
  const zipped = await new Promise<Buffer>((resolve, reject) => {
    const req = request(
      `${server.url}/docs/viewer.js`,
      { headers: { 'accept-encoding': 'gzip' } },
      (res) => {
        assert.equal(res.headers['content-encoding'], 'gzip')
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => resolve(Buffer.concat(chunks)))
      },
    )
    req.on('error', reject)
    req.end()
  })
  assert.ok(zipped.length < plain.length / 2)
  assert.ok(gunzipSync(zipped).equals(plain))
})
