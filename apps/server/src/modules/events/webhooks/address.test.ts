import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAllowedAddress, urlProblem } from './address.ts'

const production = { allowPrivate: false }
const withPrivate = { allowPrivate: true }

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

  it('is refused in any notation of what no setting allows, private endpoints allowed or not', () => {
    for (const host of [
      '169.254.169.254',
      '169.254.169.254.',
      '169.254.43518',
      '2852039166',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '[fe80::1]',
      '[febf::1]',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[::a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b:1::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '0.0.0.0',
      '0',
      '[::]',
      '224.0.0.1',
      '255.255.255.255',
      '[ff02::1]',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '[fd00:ec2::254]',
      '[fd20:ce::254]',
      'metadata.google.internal',
      'METADATA.google.internal.',
    ]) {
      for (const rules of [production, withPrivate]) {
        assert.equal(urlProblem(`https://${host}/latest`, rules), 'host', host)
      }
    }
  })

  it('may be of loopback, RFC 1918 and fc00::/7 where private endpoints are allowed', () => {
    for (const host of [
      ...['127.0.0.1', '127.8.8.8', '2130706433', '0x7f.1', '[::1]', 'localhost', 'db'],
      ...['10.1.2.3', '172.31.255.255', '192.168.1.1', '[fc00::1]', '[fd12:3456::1]'],
    ]) {
      assert.equal(urlProblem(`http://${host}:80/hook`, withPrivate), null, host)
    }
  })

  it('may be http on loopback in development only', () => {
    assert.equal(urlProblem('http://127.0.0.1:4000/hook', withPrivate), null)
    assert.equal(urlProblem('http://127.0.0.1:4000/hook', production), 'scheme')
  })
})

describe('a resolved address', () => {
  for (const address of ['8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700::1111']) {
    it(`${address} is public`, () => assert.equal(isAllowedAddress(address, production), true))
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
    it(`${address || 'nothing'} is not`, () =>
      assert.equal(isAllowedAddress(address, production), false))
  }
})
