// The database with buyers and listings that several rows clone, made when the first of them asks.
import { seedBuyers } from '../world/buyers.ts'
import { ORIGINAL, type World } from '../world/world.ts'
import type { Bench } from './row.ts'

const NAME = 'bench_buyers'
/** 50,000 listings are there; five rounds of both sides, a warm-up and one repetition take 105,000. */
const COPIES = { quick: 0, full: 3 }

const made = new WeakMap<World, Promise<string>>()

export function buyersWorld({ world, isQuick, say }: Bench): Promise<string> {
  const make = async (): Promise<string> => {
    const url = await world.clone(ORIGINAL, NAME)
    await seedBuyers(url, { copies: isQuick ? COPIES.quick : COPIES.full, say })
    return NAME
  }
  const making = made.get(world) ?? make()
  made.set(world, making)
  return making
}
