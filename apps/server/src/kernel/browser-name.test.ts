import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0'

test('a browser is called by its name, its version and its system, another program by its first word', () => {
  for (const [userAgent, name] of [
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      'Firefox 145, Linux',
    ],
    [`Mozilla/5.0 (Windows NT 10.0) ${CHROME} Safari/537.36 Edg/142.0`, 'Edge 142, Windows'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome 142, Android'],
    ['Mozilla/5.0 (iPhone) AppleWebKit/605 Version/18.1 Mobile Safari/604.1', 'Safari 18, iPhone'],
    ['curl/8.5.0', 'curl'],
    ['', ''],
  ] as const) {
    assert.equal(browserName(userAgent), name)
  }
})
