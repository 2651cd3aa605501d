import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPublicAddress, urlProblem } from './address.ts'

const production = { allowPrivate: false }

describe('the address of an endpoint', () => {
  for (const url of [
    'https://example.com/hook',
    'https://hooks.example.com:8443/a?b=c',
    'https://example.com:1024/',
    'https://93.184.216.34/',
    'https://[2606:4700::1111]/',
  ]) {
    it(`${url} is allowed`, () => assert.equal(urlProblem(url, production), null))
  }

  const refused: readonly [string, string][] = [
    ['not a url', 'form'],
    [`https://example.com/${'a'.repeat(2048)}`, 'form'],
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://user:secret@example.com/', 'userinfo'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com:22/', 'port'],
    ['https://localhost/', 'host'],
    ['https://localhost./', 'host'],
    ['https://db/', 'host'],
    ['https://printer.local/', 'host'],
    ['https://metadata.google.internal/', 'host'],
    ['https://127.0.0.1/', 'host'],
    ['https://2130706433/', 'host'],
    ['https://0x7f.1/', 'host'],
    ['https://0177.0.0.1/', 'host'],
    ['https://169.254.169.254/latest/meta-data', 'host'],
    ['https://10.1.2.3/', 'host'],
    ['https://[::1]/', 'host'],
    ['https://[::ffff:127.0.0.1]/', 'host'],
    ['https://[::7f00:1]/', 'host'],
    ['https://[64:ff9b::7f00:1]/', 'host'],
    ['https://[2002:7f00:1::]/', 'host'],
    ['https://[fe80::1]/', 'host'],
  ]
  for (const [url, problem] of refused) {
    it(`${url.slice(0, 60)} is refused for its ${problem}`, () =>
      assert.equal(urlProblem(url, production), problem))
  }

  it('may be http on loopback in development only', () => {
    assert.equal(urlProblem('http://127.0.0.1:4000/hook', { allowPrivate: true }), null)
    assert.equal(urlProblem('http://127.0.0.1:4000/hook', production), 'scheme')
  })
})

describe('a resolved address', () => {
  for (const address of ['8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700::1111']) {
    it(`${address} is public`, () => assert.equal(isPublicAddress(address), true))
  }
  for (const address of [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.8.8.8',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    'fc00::1',
    'fe80::1',
    '2001:db8::1',
    '2001::1',
    '3fff::1',
    'example.com',
    '',
  ]) {
    it(`${address || 'nothing'} is not`, () => assert.equal(isPublicAddress(address), false))
  }
})
