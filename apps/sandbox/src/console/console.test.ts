import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHarness } from '../testing/harness.ts'

test('the page and everything that it loads come from the sandbox, under one strict policy', async (t) => {
  const h = await startHarness(t)
  const waiting = ['/']
  const seen = new Set<string>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(path)) continue
    seen.add(path)
    const answer = await h.get(path)
    assert.equal(answer.status, 200, path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'/)
    assert.ok(!/unsafe|https?:|\*/.test(policy), policy)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    const text = await answer.text()
    for (const [, url = ''] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) waiting.push(url)
    for (const [, name = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      waiting.push(new URL(name, `http://sandbox${path}`).pathname)
    }
    if (path === '/') assert.ok(!/<script>|<style|\son\w+=|https?:/.test(text))
  }
  assert.ok(
    seen.has('/files/console/console.css') && seen.has('/files/platform/console/offers.mjs'),
    [...seen].join(),
  )
})

test('a file is sent again only when it has changed, and only files of the page are sent', async (t) => {
  const h = await startHarness(t)
  const etag = (await h.get('/')).headers.get('etag') ?? ''
  assert.equal((await h.get('/', { 'if-none-match': etag })).status, 304)
  for (const path of [
    '/files/console/tsconfig.json',
    '/files/console/index.ts',
    '/files/console/..%2fsandbox.ts',
    '/files/console/',
  ]) {
    assert.equal((await h.get(path)).status, 404, path)
  }
})
