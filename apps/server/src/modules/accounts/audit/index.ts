// Audit: the log of who did what.
export {
  type Act,
  type Actor,
  type ActorKind,
  type AuditEntry,
  type Changes,
  changesOf,
} from './entry.ts'
export { EXPORT_AUDIT, EXPORT_AUDIT_LOG } from './export.ts'
export { type AuditFilter, listAudit, newestActId, recordAct } from './store.ts'
