// The account of a merchant who registers.
import { createMerchant, isEmailTaken } from '#identity'
import { AddressTaken, type OpenAccount } from '#people'
import { readGlobalDefaultBps } from '#pricing'

/**
 * Who registers is a merchant of the smallest tier; its own fee is the default of this moment until another
 * is agreed.
 */
export const openMerchantAccount: OpenAccount = async (tx, { email, country, at }) => {
  const feeBps = await readGlobalDefaultBps(tx)
  const { id } = await createMerchant(tx, {
    ...{ email, country, at, name: email },
    currency: 'USD',
    tier: 'standard',
    fees: { feeBps, buyFeeBps: 0, sellFeeBps: 0, childDefaultFeeBps: null },
  }).catch((error: unknown) => {
    // An operator has opened an account under it, and its owner has no login yet.
    throw isEmailTaken(error) ? new AddressTaken() : error
  })
  return { accountId: id, accountKind: 'merchant', role: 'owner' }
}
