import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS_PATH, compileContracts, readSource } from './contracts-compile.ts'
import { readOrNull } from './generated.ts'

test('the committed contracts are what their source compiles to', async () => {
  assert.equal(readOrNull(CONTRACTS_PATH), await compileContracts(readSource()))
})
