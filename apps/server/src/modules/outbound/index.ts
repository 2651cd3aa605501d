// Outbound: transactions that we sign and send.
export type { BroadcastNode, KeyRef, Signer, UnsignedTransaction } from './ports.ts'
