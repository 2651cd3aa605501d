// Connection slots: how many live sockets are open, over all processes.
export {
  type ConnectionSlots,
  type ConnectionSlotsDeps,
  openConnectionSlots,
} from './connection-slots.ts'
export type { ConnectionSlot } from './store.ts'
