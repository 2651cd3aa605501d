import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startAccountServer } from '../testing/account-server.ts'
import { type Client, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer)

const PATH = '/user/settings/tradeurls'
const AS_U1 = { 'on-behalf-of': 'u1' }
const urlOf = (partner: number, token = 'accept00') =>
  `https://www.steamcommunity.com/tradeoffer/new?partner=${partner}&token=${token}`

async function signIn(): Promise<Client> {
  const client = edge.server.as((await merchantWithKey(edge.db)).key)
  await client.post('/merchant/users', { externalId: 'u1' })
  return client
}

describe('trade URLs of a sub-user', () => {
  it('are stored with the persona that the platform names', async () => {
    const client = await signIn()
    const { status, data } = await client.post(PATH, { url: urlOf(39_734_273) }, AS_U1)
    assert.equal(status, 200)
    assert.deepEqual(data, {
      id: data.id,
      url: 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00',
      platformId: '76561198000000001',
      personaName: 'Persona 39734273',
      avatarUrl: 'https://avatars.example/a.jpg',
      profileUrl: 'https://steamcommunity.com/profiles/76561198000000001',
      isPrimary: true,
      createdAt: data.createdAt,
    })
    assert.deepEqual((await client.get(PATH, AS_U1)).data, [data])
    const subUser = await client.get('/merchant/users/u1')
    assert.equal(subUser.data.platformId, '76561198000000001')
    // The merchant's own are another list.
    assert.deepEqual((await client.get(PATH)).data, [])
  })

  it('are one of one user, however they are pasted', async () => {
    const client = await signIn()
    const canonical = 'https://steamcommunity.com/tradeoffer/new/?partner=7&token=accept00'
    const before = edge.server.platform.asked
    const ids = new Set<string>()
    for (const url of [
      `${canonical}&for_item=730_2_1`,
      canonical.replace('?', '?l=english&'),
      `${canonical}#trade`,
      canonical.replace('steamcommunity.com', 'SteamCommunity.com'),
      `\n ${canonical} \n`,
    ]) {
      const { status, data } = await client.post(PATH, { url }, AS_U1)
      assert.deepEqual([status, data.url], [200, canonical])
      ids.add(data.id)
    }
    assert.equal(ids.size, 1)
    assert.equal(edge.server.platform.asked, before + 1)
  })

  it('one is primary: the first, the chosen one, then the newest left', async () => {
    const client = await signIn()
    const ids: string[] = []
    for (const partner of [1, 2, 3]) {
      edge.server.clock.advance(10)
      ids.push((await client.post(PATH, { url: urlOf(partner) }, AS_U1)).data.id)
    }
    const primary = async () =>
      (await client.get(PATH, AS_U1)).data
        .filter((url: { isPrimary: boolean }) => url.isPrimary)
        .map((url: { id: string }) => ids.indexOf(url.id))
    assert.deepEqual(await primary(), [0])
    const patched = await client.patch(`${PATH}/${ids[1]}`, { isPrimary: true }, AS_U1)
    assert.deepEqual([patched.status, patched.data.isPrimary], [200, true])
    assert.deepEqual(await primary(), [1])
    const deleted = await client.delete(`${PATH}/${ids[1]}`, AS_U1)
    assert.deepEqual([deleted.status, deleted.data], [200, { id: ids[1], deleted: true }])
    assert.deepEqual(await primary(), [2])
  })

  it('422: of a wrong form are VALIDATION_FAILED at /url, and the platform is not asked', async () => {
    const client = await signIn()
    const before = edge.server.platform.asked
    for (const url of [
      'nonsense',
      urlOf(0),
      urlOf(4_294_967_296),
      urlOf(1, 'short'),
      'https://example.com/tradeoffer/new/?partner=1&token=accept00',
      '',
      7,
      null,
    ]) {
      const { status, key, meta } = await client.post(PATH, { url }, AS_U1)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], String(url))
      const { errors } = meta as { errors: { in: string; pointer: string }[] }
      assert.deepEqual([errors[0]?.in, errors[0]?.pointer], ['body', '/url'])
    }
    assert.equal(edge.server.platform.asked, before)
  })

  it('503: that the platform refuses are 1413, and while it is away 1418; nothing is stored', async () => {
    const client = await signIn()
    edge.server.platform.answers.set('privat00', 'refused')
    edge.server.platform.answers.set('away0000', 'unavailable')
    const refused = await client.post(PATH, { url: urlOf(5, 'privat00') }, AS_U1)
    assert.deepEqual([refused.status, refused.key], [422, 'TRADEURL_INVALID_TOKEN'])
    const away = await client.post(PATH, { url: urlOf(5, 'away0000') }, AS_U1)
    assert.deepEqual([away.status, away.key], [503, 'PLATFORM_UNAVAILABLE'])
    assert.deepEqual((await client.get(PATH, AS_U1)).data, [])
  })

  it('404: unknown ones and those of others are TRADEURL_NOT_FOUND', async () => {
    const [client, otherTenant] = [await signIn(), await signIn()]
    const { data } = await otherTenant.post(PATH, { url: urlOf(8) }, AS_U1)
    for (const id of [data.id, 'nonsense']) {
      for (const answer of [
        await client.patch(`${PATH}/${id}`, { isPrimary: true }, AS_U1),
        await client.delete(`${PATH}/${id}`, AS_U1),
        await otherTenant.delete(`${PATH}/${id}`),
      ]) {
        assert.deepEqual([answer.status, answer.key], [404, 'TRADEURL_NOT_FOUND'])
      }
    }
    assert.equal((await otherTenant.get(PATH, AS_U1)).data.length, 1)
  })

  it('422: are made primary only by saying true', async () => {
    const client = await signIn()
    const { data } = await client.post(PATH, { url: urlOf(9) }, AS_U1)
    for (const body of [
      { isPrimary: false },
      {},
      { isPrimary: 'true' },
      { isPrimary: true, url: 'x' },
    ]) {
      const { status, key } = await client.patch(`${PATH}/${data.id}`, body, AS_U1)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'])
    }
  })
})
