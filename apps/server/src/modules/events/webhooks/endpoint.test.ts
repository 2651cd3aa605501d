import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '#kernel/refusal'
import { refuseHost } from './endpoint.ts'

/** What becomes of a URL whose host has these addresses; null: its name is not resolved. */
async function outcome(addresses: readonly string[] | null, url: string, allowPrivate = false) {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    if (addresses === null) throw new Error('no answer from a name server')
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  try {
    await refuseHost({ allowPrivate, names: { resolve } }, url)
    return { asked, refused: null }
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return { asked, refused: error.key }
  }
}

const URL_OF_NAME = 'https://hooks.shop.example/tradepost'

describe('a URL that is about to be saved', () => {
  it('is refused when its name stands for an address of a private network, alone or among others', async () => {
    for (const addresses of [['10.0.0.7'], ['8.8.8.8', '192.168.1.1'], ['fd00::7']]) {
      const { refused } = await outcome(addresses, URL_OF_NAME)
      assert.equal(refused, 'VALIDATION_FAILED', `${addresses}`)
    }
  })

  it('passes with public addresses, and with a name that has none or that no server answers for', async () => {
    for (const addresses of [['8.8.8.8', '2606:4700::1111'], [], null]) {
      assert.deepEqual(await outcome(addresses, URL_OF_NAME), {
        ...{ asked: ['hooks.shop.example'], refused: null },
      })
    }
  })

  it('is refused for a name of a link-local or metadata address where private ones are allowed too', async () => {
    for (const addresses of [['169.254.169.254'], ['10.0.0.7', 'fe80::1'], ['::ffff:a9fe:a9fe']]) {
      const { refused } = await outcome(addresses, URL_OF_NAME, true)
      assert.equal(refused, 'VALIDATION_FAILED', `${addresses}`)
    }
    assert.equal((await outcome(['10.0.0.7', '127.0.0.1'], URL_OF_NAME, true)).refused, null)
  })

  it('is not looked up where its text is refused anyway', async () => {
    assert.deepEqual((await outcome(['10.0.0.7'], 'https://user@shop.example/')).asked, [])
    assert.deepEqual((await outcome(['10.0.0.7'], 'https://localhost/')).asked, [])
  })
})
