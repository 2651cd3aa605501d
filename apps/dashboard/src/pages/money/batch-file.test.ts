import assert from 'node:assert/strict'
import { test } from 'node:test'
import { money } from '../../texts/en/money.ts'
import { readBatch } from './batch-file.ts'

const {
  batch: { problems },
  deposits: { chains },
} = money

const HEAD = 'externalId,chain,token,destination,amount'
const read = (...lines: string[]) => {
  const found = readBatch([HEAD, ...lines].join('\n'), problems, chains)
  assert.ok(typeof found !== 'string', String(found))
  return found
}

test('each line is a withdrawal in cents, with columns in any order, quotation marks and a sub-user', () => {
  const found = readBatch(
    '\uFEFFamount,forUser,destination,"token",chain,externalId\r\n25.5,ann,0x1,USDC,base,"a ""b"", c"\r\n\r\n1,,0x2,NATIVE,bsc,d\r\n',
    problems,
    chains,
  )
  assert.deepEqual(found, [
    {
      line: 2,
      problem: null,
      withdrawal: {
        ...{ externalId: 'a "b", c', chain: 'base', token: 'USDC', destination: '0x1' },
        ...{ amountCents: 2550, forUser: 'ann' },
      },
    },
    {
      line: 4,
      problem: null,
      withdrawal: {
        ...{ externalId: 'd', chain: 'bsc', token: 'NATIVE', destination: '0x2' },
        amountCents: 100,
      },
    },
  ])
})

test('a line says what is wrong with it, and the others are read', () => {
  const lines = read(
    'a,base,USDC,0x1,1',
    ',base,USDC,0x1,1',
    'a,base,USDC,0x1,1',
    'b,base,DAI,0x1,1',
    'e,solana,USDC,0x1,1',
    'c,base,USDC,,1',
    ...['1.234', '-1', '0', 'x', ''].map((amount, i) => `d${i},base,USDC,0x1,${amount}`),
  )
  assert.deepEqual(
    lines.map(({ problem }) => problem !== null),
    [false, ...Array(10).fill(true)],
  )
  assert.equal(new Set(lines.map(({ problem }) => problem)).size, 7)
})

test('a chain is named by its id or as the pages show it, in any case, and an unknown one is said', () => {
  const named = ['base', 'Base', 'BNB Smart Chain', 'bnb smart chain', 'BSC', 'Ethereum', 'BASEEVM']
  const lines = read(...named.map((chain, i) => `w${i},${chain},USDC,0x1,1`))
  assert.deepEqual(
    lines.map(({ withdrawal }) => withdrawal.chain),
    ['base', 'base', 'bsc', 'bsc', 'bsc', 'ethereum', 'BASEEVM'],
  )
  assert.deepEqual(
    lines.map(({ problem }) => problem),
    [...Array(6).fill(null), problems.chain('BASEEVM')],
  )
})

test('a file without a column, without lines, with too many or a stray quotation mark is refused whole', () => {
  const many = Array.from({ length: 501 }, (_, i) => `w${i},base,USDC,0x1,1`)
  for (const text of [
    '',
    'externalId,chain\na,base',
    HEAD,
    [HEAD, ...many].join('\n'),
    `${HEAD}\na"b,base,USDC,0x1,1`,
  ]) {
    assert.equal(typeof readBatch(text, problems, chains), 'string', text.slice(0, 60))
  }
  assert.equal(read(...many.slice(1)).length, 500)
})
