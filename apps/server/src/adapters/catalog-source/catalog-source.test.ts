import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { silentLog } from '#infra/process/log'
import { createItemSource } from './index.ts'

const ITEM = {
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  phase: null,
  name: 'AK-47 | Redline',
  type: 'Classified Rifle',
  itemType: 'Rifle',
  weapon: 'AK-47',
  rarity: 'Classified',
  rarityColor: 'D32CE6',
  category: 'Normal',
  collection: 'The Phoenix Collection',
  exterior: 'Field-Tested',
  floatRange: [0.1, 0.7],
  iconUrl: 'hash',
  defIndex: 7,
  paintIndex: 282,
  referencePriceMills: 30_000,
  volume: 120,
}
const STICKER = {
  ...ITEM,
  marketHashName: 'Sticker | Black Dog',
  defIndex: 1209,
  paintIndex: null,
  artIndex: 18,
  iconUrl: 'dog',
}

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/items.json`
}

const list = (...items: readonly unknown[]): string => JSON.stringify({ game: 'cs2', items })

test('items are read, packed, with their tag', async (t) => {
  const url = await serve(t, (_, reply) =>
    reply.writeHead(200, { etag: '"v1"', 'content-encoding': 'gzip' }).end(gzipSync(list(ITEM))),
  )
  const fetched = await createItemSource({ url, log: silentLog }).fetch(null)
  assert.deepEqual(fetched, {
    etag: '"v1"',
    unreadable: 0,
    examples: [],
    items: [{ ...ITEM, referencePriceMills: 30_000n }],
  })
})

test('an unchanged list is null', async (t) => {
  const url = await serve(t, (request, reply) => {
    const isKnown = request.headers['if-none-match'] === '"v1"'
    reply.writeHead(isKnown ? 304 : 200).end(isKnown ? '' : list(ITEM))
  })
  const source = createItemSource({ url, log: silentLog })
  assert.equal(await source.fetch('"v1"'), null)
  assert.equal((await source.fetch('"v0"'))?.items.length, 1)
})

test('a bad row is dropped, counted and named, the others stay', async (t) => {
  const bad = [
    null,
    5,
    [],
    {},
    { ...ITEM, defIndex: 'x' },
    { ...ITEM, category: 'Odd' },
    { ...ITEM, name: '' },
    { ...ITEM, referencePriceMills: '1e3' },
    { ...ITEM, referencePriceMills: -1 },
  ]
  const url = await serve(t, (_, reply) => reply.end(list(...bad, ITEM)))
  const fetched = await createItemSource({ url, log: silentLog }).fetch(null)
  assert.equal(fetched?.items.length, 1)
  // Bare numbers and nulls are passed over by the reader of the list itself.
  assert.equal(fetched?.unreadable, 7)
  assert.deepEqual(fetched?.examples.slice(-2), [ITEM.marketHashName, ITEM.marketHashName])
})

test('odd details of a good row are not said', async (t) => {
  const odd = {
    ...ITEM,
    floatRange: [0.7, 0.1],
    rarityColor: 'red',
    volume: -5,
    referencePriceMills: 0,
    paintIndex: 'x',
  }
  const url = await serve(t, (_, reply) => reply.end(list(odd)))
  const [item] = (await createItemSource({ url, log: silentLog }).fetch(null))?.items ?? []
  assert.deepEqual(
    [
      item?.floatRange,
      item?.rarityColor,
      item?.volume,
      item?.referencePriceMills,
      item?.paintIndex,
    ],
    [null, '', null, null, null],
  )
})

test('half a list, an empty one, an error or silence is no list', async (t) => {
  for (const listener of [
    (_, reply) => reply.end(list(ITEM).slice(0, -3)),
    (_, reply) => reply.end(list()),
    (_, reply) => reply.end('<html>'),
    (_, reply) => reply.writeHead(500).end(list(ITEM)),
    (_, reply) => reply.destroy(),
  ] satisfies RequestListener[]) {
    const url = await serve(t, listener)
    await assert.rejects(createItemSource({ url, log: silentLog }).fetch(null))
  }
})

test('the game book names stickers, reads the list once, and survives its absence', async (t) => {
  let calls = 0
  const url = await serve(t, (_, reply) => {
    calls += 1
    if (calls === 1) reply.writeHead(503).end()
    else reply.end(list(ITEM, STICKER))
  })
  let nowMs = 0
  const clock = { now: () => new Date(nowMs) }
  const { gameBook } = createItemSource({ url, log: silentLog, clock })
  await gameBook.refresh()
  assert.equal(gameBook.sticker(18), null)
  await gameBook.refresh()
  assert.equal(calls, 1)
  nowMs += 61_000
  await Promise.all([gameBook.refresh(), gameBook.refresh()])
  assert.deepEqual(gameBook.sticker(18), { name: 'Sticker | Black Dog', iconUrl: 'dog' })
  assert.deepEqual([gameBook.sticker(282), gameBook.charm(18), calls], [null, null, 2])
})
