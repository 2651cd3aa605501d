import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRates } from './index.ts'

const xml = (rate: string, quote = "'"): string => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope><Cube><Cube time=${quote}2026-09-30${quote}>
  <Cube currency=${quote}JPY${quote} rate=${quote}172.05${quote}/>
  <Cube currency=${quote}USD${quote} rate=${quote}${rate}${quote}/>
  <Cube currency=${quote}GBP${quote} rate=${quote}0.8721${quote}/>
</Cube></Cube></gesmes:Envelope>`

test('dollars for a euro are read in millionths, with the day of the bank', () => {
  assert.deepEqual(parseRates(xml('1.1734')), { usdPerEurMicros: 1_173_400n, asOf: '2026-09-30' })
  assert.deepEqual(parseRates(xml('1', '"')), { usdPerEurMicros: 1_000_000n, asOf: '2026-09-30' })
})

test('what is finer than a millionth is rounded half up', () => {
  assert.equal(parseRates(xml('1.1234565')).usdPerEurMicros, 1_123_457n)
  assert.equal(parseRates(xml('1.1234564999')).usdPerEurMicros, 1_123_456n)
})

test('the order of the attributes does not matter', () => {
  const turned = xml('1.1').replace(/currency='USD' rate='1.1'/, "rate='1.1' currency='USD'")
  assert.equal(parseRates(turned).usdPerEurMicros, 1_100_000n)
})

test('a rate that cannot be is refused', () => {
  for (const rate of ['0', '0.1', '117.34', '-1.1', 'NaN', '1e5', '']) {
    assert.throws(() => parseRates(xml(rate)), rate)
  }
})

test('a file without a day or without dollars is refused', () => {
  for (const text of [
    '',
    '<html></html>',
    xml('1.1').replace('USD', 'XXX'),
    xml('1.1').replace('2026-09-30', '2026-99-99'),
  ]) {
    assert.throws(() => parseRates(text))
  }
})
