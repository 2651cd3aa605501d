import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type DownloadRequest, download } from './download.ts'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function read(url: string, changes: Partial<DownloadRequest> = {}): Promise<string> {
  const answer = await download({ url, deadlineMs: 2_000, maxBytes: 1_000_000, ...changes })
  assert.equal(answer.kind, 'answer')
  let text = ''
  if (answer.kind === 'answer') for await (const chunk of answer.chunks) text += chunk
  return text
}

const TEXT = `Größe ★ ${'x'.repeat(70_000)} ★`

test('a file arrives whole, packed or not', async (t) => {
  const packed = { gzip: gzipSync(TEXT), br: brotliCompressSync(TEXT), none: Buffer.from(TEXT) }
  for (const [encoding, body] of Object.entries(packed)) {
    const url = await serve(t, (_, reply) => {
      if (encoding !== 'none') reply.setHeader('content-encoding', encoding)
      reply.end(body)
    })
    assert.equal(await read(url), TEXT, encoding)
  }
})

test('a file is too large by what it unfolds to', async (t) => {
  const bomb = gzipSync(Buffer.alloc(5_000_000))
  const url = await serve(t, (_, reply) => reply.setHeader('content-encoding', 'gzip').end(bomb))
  await assert.rejects(read(url), /larger than/)
})

test('a file that is cut off throws, packed or not', async (t) => {
  for (const encoding of ['gzip', 'none']) {
    const body = encoding === 'gzip' ? gzipSync(TEXT) : Buffer.from(TEXT)
    const url = await serve(t, (_, reply) => {
      if (encoding === 'gzip') reply.setHeader('content-encoding', 'gzip')
      reply.setHeader('content-length', body.length)
      reply.write(body.subarray(0, body.length / 2), () => reply.destroy())
    })
    await assert.rejects(read(url), encoding)
  }
})

test('packing that is broken throws', async (t) => {
  const url = await serve(t, (_, reply) =>
    reply.setHeader('content-encoding', 'gzip').end('no gzip'),
  )
  await assert.rejects(read(url))
})

test('a file that does not come in time throws, and one that does not begin has failed', async (t) => {
  const slow = await serve(t, (_, reply) => reply.write('a'))
  await assert.rejects(read(slow, { deadlineMs: 200 }))
  const silent = await serve(t, () => {})
  const answer = await download({ url: silent, deadlineMs: 200, maxBytes: 10 })
  assert.equal(answer.kind, 'failed')
})

test('a redirect is an answer and is not followed', async (t) => {
  let calls = 0
  const url = await serve(t, (_, reply) => {
    calls += 1
    reply.writeHead(302, { location: '/elsewhere' }).end()
  })
  const answer = await download({ url, deadlineMs: 1_000, maxBytes: 10 })
  assert.equal(answer.kind === 'answer' && answer.status, 302)
  if (answer.kind === 'answer') for await (const _ of answer.chunks) break
  assert.equal(calls, 1)
})

test('a refused connection is a failure', async () => {
  const answer = await download({ url: 'http://127.0.0.1:1/', deadlineMs: 1_000, maxBytes: 10 })
  assert.equal(answer.kind, 'failed')
})

test('a reader that stops early, or an abort, ends the transfer', async (t) => {
  const url = await serve(t, (_, reply) => {
    const more = () =>
      void (reply.destroyed || reply.write('x'.repeat(65_536), () => setImmediate(more)))
    more()
  })
  const answer = await download({ url, deadlineMs: 5_000, maxBytes: 10 ** 9 })
  assert.equal(answer.kind, 'answer')
  if (answer.kind === 'answer') for await (const _ of answer.chunks) break
  const stop = new AbortController()
  const aborted = await download({ url, deadlineMs: 5_000, maxBytes: 10 ** 9, signal: stop.signal })
  stop.abort()
  await assert.rejects(async () => {
    if (aborted.kind === 'answer') for await (const _ of aborted.chunks) void _
  })
})
