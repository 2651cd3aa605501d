// Connection slots: how many live sockets are open, over all processes.
export {
  type ConnectionSlot,
  type ConnectionSlots,
  type ConnectionSlotsDeps,
  openConnectionSlots,
} from './connection-slots.ts'
