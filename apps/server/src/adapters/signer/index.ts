// The holder of the keys, behind the port of outbound.
export { createInProcessSigner } from './in-process.ts'
export { createSocketSigner } from './unix-socket.ts'
