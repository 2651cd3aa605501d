// What the processors did during a run.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

interface ProcessorTimes {
  readonly idle: number
  readonly all: number
}

/** Of all processors since the machine was started, in ms. */
export function processorTimes(): ProcessorTimes {
  const sum = { idle: 0, all: 0 }
  for (const { times } of cpus()) {
    sum.idle += times.idle
    for (const ms of Object.values(times)) sum.all += ms
  }
  return sum
}

/** From 0 to 1, between two readings. */
export const idleShare = (before: ProcessorTimes, after: ProcessorTimes): number =>
  (after.idle - before.idle) / Math.max(after.all - before.all, 1)

/** Linux counts the time of processes in hundredths of a second, for every program (proc_pid_stat(5)). */
const TICKS_PER_SECOND = 100

/**
 * Seconds of a processor that children of this process took which have ended, and all that those waited for.
 * The difference of two readings is what ended between them. 0 where the system does not say.
 */
export function secondsOfEnded(): number {
  let stat: string
  try {
    stat = readFileSync('/proc/self/stat', 'utf8')
  } catch {
    return 0
  }
  // The name of the program, in parentheses, may have spaces. What follows it starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = fields.slice(13, 15)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}
