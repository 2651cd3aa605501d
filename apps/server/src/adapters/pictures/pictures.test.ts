import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { createPictureSource, type PictureOptions } from './index.ts'

const NEVER = new AbortController().signal

async function given(
  t: TestContext,
  listener: RequestListener,
  options: Partial<PictureOptions> = {},
) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const source = createPictureSource({
    ...{ baseUrl, isAllowedAddress: () => true, isSandbox: true },
    ...options,
  })
  t.after(async () => {
    await source.close()
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl, fetch: (address: string) => source.fetch(address, NEVER) }
}

const aPicture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c02030' } })

test('a picture becomes two squares of WebP, the whole of it in their middle', async (t) => {
  const png = await aPicture(400, 200)
    .withExif({ IFD0: { Artist: 'an artist' } })
    .png()
    .toBuffer()
  const asked: (string | undefined)[] = []
  const { fetch, baseUrl } = await given(t, (request, reply) => {
    asked.push(request.url)
    reply.end(png)
  })
  for (const address of ['a-hash_1', `${baseUrl}elsewhere.png`]) {
    const files = await fetch(address)
    assert.ok(files)
    for (const [edge, bytes] of [[64, files.small] as const, [256, files.large] as const]) {
      const { format, width, height, exif } = await sharp(bytes).metadata()
      assert.deepEqual([format, width, height, exif], ['webp', edge, edge, undefined])
    }
    const { data } = await sharp(files.small)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const alphaAt = (x: number, y: number) => data[(y * 64 + x) * 4 + 3]
    assert.deepEqual([alphaAt(32, 4), alphaAt(32, 32), alphaAt(1, 32)], [0, 255, 255])
  }
  assert.deepEqual(asked, ['/a-hash_1', '/elsewhere.png'])
})

test('what is no picture that we show is never asked for again', async (t) => {
  const wide = await aPicture(2100, 2000).png().toBuffer()
  const tiff = await aPicture(8, 8).tiff().toBuffer()
  const gif = await aPicture(8, 8).gif().toBuffer()
  const bodies: Readonly<Record<string, Buffer | string>> = {
    '/text': '<html>not a picture</html>',
    '/cut': wide.subarray(0, 300),
    '/wide': wide,
    '/gif': gif,
    '/tiff': tiff,
    '/long': Buffer.alloc(3 * 1024 * 1024),
  }
  const { fetch } = await given(t, ({ url = '' }, reply) => {
    if (url === '/moved') reply.writeHead(302, { location: '/gif' }).end()
    else if (bodies[url] === undefined) reply.writeHead(404).end()
    else reply.end(bodies[url])
  })
  for (const name of ['text', 'cut', 'wide', 'gif', 'tiff', 'long', 'moved', 'missing']) {
    assert.equal(await fetch(name), null, name)
  }
})

test('what may be had later throws', async (t) => {
  const { fetch } = await given(t, ({ url }, reply) => {
    if (url === '/cut') reply.destroy()
    else reply.writeHead(url === '/busy' ? 429 : 503).end()
  })
  for (const name of ['busy', 'down', 'cut']) await assert.rejects(fetch(name), Error, name)
})

test('an address of our own network, and one that is not of https, is not asked outside the sandbox', async (t) => {
  let calls = 0
  const count: RequestListener = (_, reply) => {
    calls++
    reply.end()
  }
  const blocked = await given(t, count, { isAllowedAddress: () => false })
  assert.equal(await blocked.fetch('a-hash'), null)
  const real = await given(t, count, { isSandbox: false })
  for (const address of [
    ...['a-hash', 'file:///etc/hosts', 'javascript:alert(1)', 'ftp://a.example/x.png'],
    ...['https://user:word@a.example/x.png', 'https://a.example:8443/x.png', ''],
  ]) {
    assert.equal(await real.fetch(address), null, address)
  }
  assert.equal(calls, 0)
})

test('a JPEG, a WebP and, of the sandbox, a drawing (SVG) are taken', async (t) => {
  const jpeg = await aPicture(8, 8).jpeg().toBuffer()
  const webp = await aPicture(8, 8).webp().toBuffer()
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
  const { fetch } = await given(t, ({ url }, reply) => {
    reply.end(url === '/jpeg' ? jpeg : url === '/webp' ? webp : svg)
  })
  for (const name of ['drawing', 'jpeg', 'webp']) {
    const { format } = await sharp((await fetch(name))?.large).metadata()
    assert.equal(format, 'webp', name)
  }
})
