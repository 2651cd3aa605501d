import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { CHAIN_IDS } from './chain.ts'
import { listTokens } from './store/chains.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

test('dollars that users send in place of those that are taken are known by name', async () => {
  const known = await Promise.all(
    CHAIN_IDS.map(async (chain) =>
      (await listTokens(database.db, chain))
        .filter(({ isAccepted, symbol }) => !isAccepted && symbol !== 'DAI')
        .map(({ contract, symbol, decimals }) => `${chain} ${symbol} ${decimals} ${contract}`),
    ),
  )
  assert.deepEqual(known.flat().sort(), [
    'arbitrum USDCE 6 0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
    'base USDBC 6 0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca',
    'optimism USDCE 6 0x7f5c764cbc14f9669b88837ca1490cca17c31607',
    'optimism USDT0 6 0x01bff41798a0bcf287b996046ca68b395dbc1071',
  ])
})
