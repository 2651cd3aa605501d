import type { Store } from '../store/store.ts'
import { createFaultScript, type FaultScript } from './fault-script.ts'

/** Fault scripts for different kinds of calls of one party, filled through one list of words. */
export interface FaultQueues<Queue extends string> {
  /** All queues as one script, for the control interface and the console. */
  readonly all: FaultScript
  /** The next word of this queue; null when none is queued. */
  take(queue: Queue): string | null
}

export function createFaultQueues<Queue extends string>(
  store: Store,
  partyId: string,
  {
    queues,
    queueOf,
  }: { readonly queues: readonly Queue[]; readonly queueOf: (word: string) => Queue },
): FaultQueues<Queue> {
  const scripts = new Map(
    queues.map((queue) => [queue, createFaultScript(store, `${partyId}:${queue}`)] as const),
  )
  const of = (queue: Queue): FaultScript => {
    const script = scripts.get(queue)
    if (script === undefined) throw new Error(`there is no queue ${queue}`)
    return script
  }
  return {
    all: {
      list: () => queues.flatMap((queue) => of(queue).list()),
      append: (words) => {
        for (const word of words) of(queueOf(word)).append([word])
      },
      clear: () => {
        for (const queue of queues) of(queue).clear()
      },
      take: () => null,
    },
    take: (queue) => of(queue).take(),
  }
}
