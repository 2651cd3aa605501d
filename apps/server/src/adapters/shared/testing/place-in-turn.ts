// One purchase, as a worker makes it: a turn is waited for, and the purchase is placed in it.
import type { GuardedContext, Market, Purchase, PurchaseAnswer } from '#ports/buying'

export async function placeInTurn(
  market: Pick<Market, 'takeTurns' | 'place'>,
  purchase: Purchase,
  context: GuardedContext,
): Promise<PurchaseAnswer> {
  const answer = await market.takeTurns(1, context)
  if (answer.kind === 'not-sent') return answer
  const [turn] = answer.turns
  if (turn === undefined) throw new Error('no turn among the turns that were given')
  try {
    return await market.place(purchase, { ...context, turn })
  } finally {
    turn.giveBack()
  }
}
