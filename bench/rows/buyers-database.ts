// The database with buyers and listings that several rows clone, made when the first of them asks.
import { seedBuyers } from '../installation/buyers.ts'
import { type Installation, ORIGINAL } from '../installation/installation.ts'
import type { Bench } from './row.ts'

const NAME = 'bench_buyers'
/** 50,000 listings are there; five rounds of both sides, a warm-up and one repetition take 105,000. */
const COPIES = { quick: 0, full: 3 }

const made = new WeakMap<Installation, Promise<string>>()

export function buyersDatabase({ installation, isQuick, say }: Bench): Promise<string> {
  const make = async (): Promise<string> => {
    const url = await installation.clone(ORIGINAL, NAME)
    await seedBuyers(url, { copies: isQuick ? COPIES.quick : COPIES.full, say })
    return NAME
  }
  const making = made.get(installation) ?? make()
  made.set(installation, making)
  return making
}
