import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gathered } from './batch.ts'
import { tenantServed, withTenant } from './tenant-context.ts'

/** Writes that end when they are let go. */
function openWriter(
  isRefused: (item: string) => boolean = () => false,
  failure = (refused: readonly string[]) => new Error(`refused ${refused.join()}`),
) {
  const writes: string[][] = []
  const ends: (() => void)[] = []
  const write = gathered({
    keyOf: (item: string) => item.charAt(0),
    write: async (items) => {
      writes.push([...items])
      await new Promise<void>((resolve) => ends.push(resolve))
      const refused = items.filter(isRefused)
      if (refused.length > 0) throw failure(refused)
      return items.map((item) => `${item} written`)
    },
  })
  /** Lets everything go that is written, until all of them have ended. */
  const settle = async (works: readonly Promise<string>[]): Promise<string[]> => {
    let isSettled = false
    const settled = Promise.allSettled(works).finally(() => {
      isSettled = true
    })
    while (!isSettled) {
      for (const end of ends.splice(0)) end()
      await new Promise(setImmediate)
    }
    return (await settled).map((one) =>
      one.status === 'fulfilled' ? one.value : String(one.reason.message),
    )
  }
  return { write, writes, settle }
}

describe('writes that are gathered', () => {
  it('of one key go one call at a time, and what comes meanwhile goes into the next', async () => {
    const { write, writes, settle } = openWriter()
    const works = ['a1', 'a2', 'b1'].map(write)
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    assert.deepEqual(writes, [['a1', 'a2'], ['b1']])
    works.push(...['a3', 'a4'].map(write))
    await new Promise(setImmediate)
    assert.equal(writes.length, 2)
    assert.deepEqual(
      await settle(works),
      ['a1', 'a2', 'b1', 'a3', 'a4'].map((item) => `${item} written`),
    )
    assert.deepEqual(writes[2], ['a3', 'a4'])
    assert.deepEqual(await settle([write('a5')]), ['a5 written'])
  })

  it('that fail together are written alone, and one that is refused refuses no other', async () => {
    const { write, writes, settle } = openWriter((item) => item === 'a2')
    assert.deepEqual(await settle(['a1', 'a2', 'a3'].map(write)), [
      'a1 written',
      'refused a2',
      'a3 written',
    ])
    assert.deepEqual(writes, [['a1', 'a2', 'a3'], ['a1'], ['a2'], ['a3']])
  })
  it('fail at once for all while the database is away', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    const { write, writes, settle } = openWriter(
      () => true,
      () => away,
    )
    assert.deepEqual(await settle(['a1', 'a2'].map(write)), ['away', 'away'])
    assert.deepEqual(writes, [['a1', 'a2']])
  })

  it('run on behalf of no tenant that asks, but of the one that the key names', async () => {
    const served = async (items: readonly string[]) => items.map(() => tenantServed())
    const ofAll = gathered({ keyOf: () => 'deposits', write: served })
    const ofOne = gathered({ keyOf: (tenant: string) => tenant, isOfTenant: true, write: served })
    const asked = ['a', 'b'].map((tenant) =>
      withTenant(tenant, () => Promise.all([ofAll(tenant), ofOne(tenant)])),
    )
    assert.deepEqual(await Promise.all(asked), [
      [null, 'a'],
      [null, 'b'],
    ])
  })
})
