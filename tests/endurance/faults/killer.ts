// Kills -9. A process of its own, so that no moment of the test that watches is safer than another. It is
// given the running processes, waits for a random moment, kills, and reports which one.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dice, diceOf } from '../dice.ts'

export type Kind = 'worker' | 'api' | 'signer' | 'node' | 'postgres' | 'everything'

/** To the killer. */
export interface Order {
  readonly kind: Kind
  readonly workers: readonly number[]
  readonly apis: readonly number[]
  readonly signers: readonly number[]
  /** Of chains, which their sandbox starts again. */
  readonly nodes: readonly number[]
  /** The data folder of the server whose processes may be killed. */
  readonly postgresData: string
  readonly withinMs: number
}

/** From the killer. */
export interface Killed {
  readonly kind: Kind
  readonly pids: readonly number[]
}

if (import.meta.main) {
  const throwDice = diceOf(Number(process.argv[2]))
  process.on('message', (order: Order) => {
    setTimeout(() => {
      const pids = victimsOf(order, throwDice)
      for (const pid of pids) kill(pid)
      process.send?.({ kind: order.kind, pids } satisfies Killed)
    }, throwDice() * order.withinMs)
  })
  process.on('disconnect', () => process.exit(0))
}

function victimsOf(order: Order, throwDice: Dice): number[] {
  const one = (pids: readonly number[]): number[] => {
    const place = Math.floor(throwDice() * pids.length)
    return pids.slice(place, place + 1)
  }
  switch (order.kind) {
    case 'worker':
      return one(order.workers)
    case 'api':
      return one(order.apis)
    case 'signer':
      return one(order.signers)
    case 'node':
      return one(order.nodes)
    case 'postgres':
      return postgresOf(order.postgresData)
    case 'everything':
      return [...order.workers, ...order.apis, ...order.signers, ...postgresOf(order.postgresData)]
  }
}

/** The server and all processes that it started, the server first: it must not tidy up after them. */
export function postgresOf(dataFolder: string): number[] {
  const file = join(dataFolder, 'postmaster.pid')
  if (!existsSync(file)) return []
  const server = Number(readFileSync(file, 'utf8').split('\n')[0])
  return server > 1 ? [server, ...childrenOf(server)] : []
}

function childrenOf(parent: number): number[] {
  return parents()
    .filter(([, parentId]) => parentId === parent)
    .map(([pid]) => pid)
}

/** Every process of this machine with its parent. */
function parents(): [pid: number, parent: number][] {
  if (!existsSync('/proc/self/stat')) {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')
    return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // The name in brackets may itself hold brackets and spaces.
        const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
        return [[Number(name), Number(parent)] as [number, number]]
      } catch {
        return []
      }
    })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself in this very moment.
  }
}
