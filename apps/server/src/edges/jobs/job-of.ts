// The name of a job that works with one of our accounts at a market.
import { MAIN, type Market } from '#buying'

/** That of `main` is the market's alone. */
export const jobOf = (job: string, { id, account }: Pick<Market, 'id' | 'account'>): string =>
  account === MAIN ? `${job}-${id}` : `${job}-${id}-${account}`
