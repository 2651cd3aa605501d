// Audit: the log of who did what.
export type { Act, Actor, ActorKind, AuditEntry } from './entry.ts'
export { type AuditFilter, listAudit, recordAct } from './store.ts'
