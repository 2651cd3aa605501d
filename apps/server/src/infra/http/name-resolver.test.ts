import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { startNameServer, type TestNameServer } from '../testing/name-server.ts'
import { createNameResolver, NameNotResolved, parseHosts } from './name-resolver.ts'

let server: TestNameServer
before(async () => {
  server = await startNameServer()
})
after(() => server.close())

const given = (deadlineMs = 4000) => createNameResolver({ deadlineMs, servers: [server.address] })
const code = (expected: string) => (error: unknown) =>
  error instanceof NameNotResolved && error.code === expected

describe('a name', () => {
  it('has the addresses that the name server gives', async () => {
    server.names.set('two.example', ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual(await given().resolve('Two.example.'), [
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
    ])
  })

  it('that does not exist is refused at once', async () => {
    await assert.rejects(given().resolve('absent.example'), code('ENOTFOUND'))
  })

  it('whose server is silent is given up at the deadline, and holds up no other', async () => {
    server.names.set('silent.example', null)
    server.names.set('good.example', ['192.0.2.3'])
    const resolver = given(1000)
    const silent = Array.from({ length: 50 }, () => resolver.resolve('silent.example'))
    const ended: string[] = []
    const all = Promise.allSettled(silent).then((results) => {
      ended.push('silent')
      return results
    })
    await resolver.resolve('good.example')
    ended.push('good')
    const results = await all
    assert.deepEqual(ended, ['good', 'silent'])
    assert.ok(results.every(({ status }) => status === 'rejected'))
    await assert.rejects(resolver.resolve('silent.example'), code('ETIMEOUT'))
    assert.ok(server.queries('silent.example') <= 4, 'the 50 shared one lookup')
  })

  it('is given up at the deadline, however many name servers there are to ask', async (t) => {
    const [silent, other] = await Promise.all([startNameServer(), startNameServer()])
    t.after(() => Promise.all([silent.close(), other.close()]))
    for (const one of [silent, other]) one.names.set('late.example', null)
    server.names.set('late.example', ['192.0.2.4'])
    // Without the deadline c-ares asks one server after the other, and the third one answers.
    const servers = [silent, other, server].map(({ address }) => address)
    const resolver = createNameResolver({ deadlineMs: 300, servers })
    await assert.rejects(resolver.resolve('late.example'), code('ETIMEOUT'))
    assert.equal(server.queries('late.example'), 0)
  })

  it('of this machine needs no name server', async () => {
    assert.deepEqual((await given().resolve('localhost'))[0], { address: '127.0.0.1', family: 4 })
    assert.deepEqual(await given().resolve('::1'), [{ address: '::1', family: 6 }])
    assert.equal(server.queries('localhost'), 0)
  })
})

it('silence about all names says that the name server does not answer, silence about one does not', async () => {
  server.names.set('silent.example', null)
  server.names.set('good.example', ['192.0.2.3'])
  const resolver = given(600)
  await assert.rejects(resolver.resolve('silent.example'))
  assert.equal(resolver.isAnswering(), false)
  await resolver.resolve('good.example')
  await assert.rejects(resolver.resolve('silent.example'))
  assert.equal(resolver.isAnswering(), true)
})

it('a socket connects through it, by one address or by all', async (t) => {
  const listener = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.after(() => listener.close())
  const { port } = listener.address() as AddressInfo
  server.names.set('here.example', ['127.0.0.1'])
  for (const autoSelectFamily of [true, false]) {
    const { lookup } = given()
    const socket = connect({ host: 'here.example', port, lookup, autoSelectFamily })
    await once(socket, 'connect')
    socket.destroy()
  }
})

it('the list of the machine is read with its comments and several names a line', () => {
  const hosts = parseHosts('127.0.0.1 localhost Alias # home\n\n::1\tlocalhost\nnonsense here\n')
  assert.deepEqual(hosts.get('localhost'), [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
  assert.deepEqual(hosts.get('alias'), [{ address: '127.0.0.1', family: 4 }])
  assert.equal(hosts.size, 2)
})
