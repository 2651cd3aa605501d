import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importUses, unusedArrows } from './module-uses.ts'

const BUY = 'apps/server/src/modules/trading/buying/store/buy.ts'

describe('the modules that a module imports', () => {
  it('are named by doors, ports and paths, types included', () => {
    const text = `
      import { post } from '#ledger'
      import type { Rate } from '#ports/fx'
      export type { Trade } from '../../trades/index.ts'
      import { sql } from '#infra/database/db'
      import { claim } from './orders.ts'
      const later = await import('#catalog')`
    assert.deepEqual(
      importUses(BUY, text).map(({ to }) => to),
      ['ledger', 'fx', 'trades', 'catalog'],
    )
  })

  it('are looked for in modules only', () => {
    assert.deepEqual(importUses('apps/server/src/edges/http/shared/x.ts', "import '#ledger'"), [])
  })
})

describe('an arrow', () => {
  it('that no import and no SQL uses is found', () => {
    const arrows = { buying: { ledger: 'escrow', fx: 'rates' }, ledger: {} }
    assert.deepEqual(unusedArrows(arrows, [{ from: 'buying', to: 'ledger' }]), [
      { from: 'buying', to: 'fx' },
    ])
    const both = [
      { from: 'buying', to: 'ledger' },
      { from: 'buying', to: 'fx' },
    ]
    assert.deepEqual(unusedArrows(arrows, both), [])
  })
})
