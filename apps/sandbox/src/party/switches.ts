import type { Store } from '../store/store.ts'

export interface SwitchState {
  readonly online: boolean
  readonly latencyMs: number
}

/** Availability and latency of each protocol, as the control interface has set them. Survives a restart. */
export interface Switches {
  of(id: string): SwitchState
  set(id: string, change: Partial<SwitchState>): SwitchState
  onOffline(listener: (id: string) => void): void
}

const NORMAL: SwitchState = { online: true, latencyMs: 0 }

export function createSwitches(store: Store): Switches {
  const states = new Map<string, SwitchState>(
    JSON.parse(store.readSetting('switches') ?? '[]') as [string, SwitchState][],
  )
  const listeners: ((id: string) => void)[] = []
  const of = (id: string): SwitchState => states.get(id) ?? NORMAL
  return {
    of,
    set(id, change) {
      const before = of(id)
      const after = { ...before, ...change }
      states.set(id, after)
      store.writeSetting('switches', JSON.stringify([...states]))
      if (before.online && !after.online) for (const listener of listeners) listener(id)
      return after
    },
    onOffline: (listener) => void listeners.push(listener),
  }
}
