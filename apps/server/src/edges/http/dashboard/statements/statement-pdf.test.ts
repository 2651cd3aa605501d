import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cents } from '#kernel/money'
import type { MonthlyStatement, WalletMonth } from '#ledger'
import { amountText } from './statement-file.ts'
import { statementPdf } from './statement-pdf.ts'

const TYPES = [
  ...['deposit_credit', 'withdrawal_debit', 'trade_payment', 'trade_refund', 'trade_payout'],
  ...['fee_credit', 'fund_in', 'fund_out', 'transfer_in', 'transfer_out', 'adjustment'],
] as WalletMonth['rows'][number]['type'][]

const wallet = (kind: WalletMonth['kind'], types: typeof TYPES): WalletMonth => ({
  ...{ kind, currency: 'EUR', opening: cents(0n), closing: cents(12_300n * BigInt(types.length)) },
  rows: types.map((type) => ({ type, count: 3, credit: cents(12_345n), debit: cents(45n) })),
  fees: { house: cents(500n), merchant: cents(200n) },
})

/** As text in which the marks of the file are found; what it shows is compressed. */
async function madeOf(wallets: readonly WalletMonth[], more: Partial<MonthlyStatement> = {}) {
  const statement = { month: '2026-10', number: '2026-10-0003', isClosed: true, wallets, ...more }
  const bytes = await statementPdf({
    statement,
    house: { name: 'Żółć Ltd', address: ['1 Market Street', 'Αθήνα'] },
    account: { id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', name: 'Кошелёк "№ 1" (test)' },
    earner: 'merchant',
    madeAt: new Date('2026-11-29T08:00:00.000Z'),
  })
  return Buffer.from(bytes).toString('latin1')
}

const pagesOf = (file: string): number => file.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0

it('a statement is an A4 file with its fonts in it', async () => {
  const file = await madeOf([wallet('spot', TYPES.slice(0, 3))])
  assert.match(file, /^%PDF-1\.7\n/)
  assert.match(file, /%%EOF\s*$/)
  assert.match(file, /\/MediaBox \[0 0 595\.28 841\.89\]/)
  assert.equal(pagesOf(file), 1)
  assert.equal(file.match(/\/FontFile2 /g)?.length, 2)
  assert.doesNotMatch(file, /\/BaseFont \/Helvetica/)
})

it('its text is tagged, with a language, a title, headings, and tables with heads', async () => {
  const file = await madeOf([wallet('spot', TYPES)])
  assert.ok(file.includes('/Marked true'))
  assert.match(file, /\/StructTreeRoot/)
  assert.match(file, /\/Lang \(en\)/)
  assert.match(file, /\/DisplayDocTitle true/)
  assert.match(file, /<pdfuaid:part>1<\/pdfuaid:part>/)
  for (const tag of ['Document', 'H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD']) {
    assert.match(file, new RegExp(`/S /${tag}\\b`), tag)
  }
})

it('a wallet that does not fit on a page is on the next one', async () => {
  assert.equal(pagesOf(await madeOf([wallet('spot', TYPES), wallet('earnings', [])])), 1)
  assert.equal(pagesOf(await madeOf([wallet('spot', TYPES), wallet('earnings', TYPES)])), 2)
})

it('a month that is open has no number', async () => {
  const open = { number: null, isClosed: false }
  assert.equal(pagesOf(await madeOf([wallet('spot', [])], open)), 1)
})

it('an amount has commas between thousands, as on the page', () => {
  const shown = [5n, 99_999n, 100_000n, -123_456_789n].map((amount) => amountText(cents(amount)))
  assert.deepEqual(shown, ['0.05', '999.99', '1,000.00', '-1,234,567.89'])
})
