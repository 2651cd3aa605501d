// The promises of the reconciliation port, tried on an adapter against a living market.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import type { Market } from '#ports/buying'
import type { StatementLine, Statements } from '#ports/reconciliation'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { eventually, type MarketEnvironment } from './environment.ts'

export interface StatementsUnderTest {
  readonly market: Market
  readonly statements: Statements
  /** The same adapter pointed at a closed port. */
  readonly astray: Statements
  readonly environment: MarketEnvironment
}

const CONTEXT = { requestId: 'conformance', guard: openGuard }
const HOUR_MS = 3_600_000

export function statementsConformance(name: string, setUp: () => StatementsUnderTest): void {
  describe(`${name} as a writer of statements`, { concurrency: 1 }, () => {
    const since = (): Date => new Date(Date.now() - HOUR_MS)

    const lineOf = async (customId: string): Promise<StatementLine | null> => {
      const answer = await eventually('a statement', async () => {
        const read = await setUp().statements.read(since(), CONTEXT)
        return read.kind === 'read' ? read : null
      })
      assert.equal(answer.isWhole, true)
      return answer.lines.find((line) => line.customId === customId) ?? null
    }
    const untilLine = (customId: string, state: StatementLine['state']): Promise<StatementLine> =>
      eventually(`the line is ${state}`, async () => {
        const line = await lineOf(customId)
        return line?.state === state ? line : null
      })
    const buy = async (token: string, words?: string) => {
      const { market, environment } = setUp()
      const listing = await environment.takeListing()
      if (words !== undefined) await environment.script(words)
      const purchase = {
        customId: newId(),
        rawListingId: listing.id,
        marketHashName: listing.marketHashName,
        ceilingMills: mills(BigInt(listing.priceMills)),
        partner: 7_000,
        token,
      }
      const answer = await eventually('a turn to buy', async () => {
        const given = await placeInTurn(market, purchase, CONTEXT)
        return given.kind === 'not-sent' ? null : given
      })
      return { ...purchase, answer, priceMills: BigInt(listing.priceMills) }
    }

    test('a purchase has a line with our id, its price and its time, and goes from open to completed', async () => {
      const bought = await buy('accept00')
      const line = await eventually('a line', () => lineOf(bought.customId))
      assert.equal(bought.answer.kind === 'accepted' && bought.answer.orderId, line.orderId)
      assert.deepEqual([line.paidMills, line.returnedMills], [bought.priceMills, null])
      assert.ok(Math.abs(line.placedAt.getTime() - Date.now()) < 60_000)
      const done = await untilLine(bought.customId, 'completed')
      assert.deepEqual([done.paidMills, done.returnedMills], [bought.priceMills, null])
    })

    test('a purchase whose answer was lost has a line all the same', async () => {
      const bought = await buy('manual00', 'lost_reply_placed')
      assert.equal(bought.answer.kind, 'unknown')
      assert.equal((await eventually('a line', () => lineOf(bought.customId))).state, 'open')
    })

    test('what came to nothing has ended and come back', async () => {
      const { customId, priceMills } = await buy('accept00', 'seller_cancels')
      assert.equal((await untilLine(customId, 'ended')).returnedMills, priceMills)
    })

    test('of a delivery that the recipient took back a part was kept, and of a seller’s none', async () => {
      const { environment, statements } = setUp()
      for (const by of ['user', 'supplier'] as const) {
        const { customId, priceMills } = await buy('manual00')
        const offer = await eventually(
          'an offer',
          async () => (await environment.offers(customId))[0],
        )
        await eventually('it can be accepted', () =>
          environment.moveOffer(offer.offerId, 'accept').then(
            () => true,
            () => false,
          ),
        )
        await untilLine(customId, 'held')
        await environment.revertOffer(offer.offerId, by)
        const { returnedMills } = await untilLine(customId, 'ended')
        assert.ok(returnedMills !== null)
        if (by === 'supplier') assert.equal(returnedMills, priceMills)
        else {
          const mostKept =
            (priceMills * BigInt(statements.traits.keptOnUserReversalBps ?? 3000)) / 10_000n
          assert.ok(returnedMills < priceMills && priceMills - returnedMills <= mostKept + 2n)
        }
      }
    })

    test('lines before the moment are left out', async () => {
      const { customId } = await buy('manual00')
      await eventually('a line', () => lineOf(customId))
      const answer = await setUp().statements.read(new Date(Date.now() + HOUR_MS), CONTEXT)
      assert.deepEqual(answer.kind === 'read' && answer.lines, [])
    })

    test('a reader that stops gives it up, and learns nothing from a part', async () => {
      const context = { ...CONTEXT, signal: AbortSignal.abort() }
      assert.equal((await setUp().statements.read(since(), context)).kind, 'unavailable')
    })

    test('a market that is away writes no statement', async () => {
      assert.equal((await setUp().astray.read(since(), CONTEXT)).kind, 'unavailable')
    })
  })
}
