// Reconciliation: what it does for the rest of the service.
export {
  CASE_KINDS,
  type CaseDetails,
  type CaseEntry,
  type CaseFile,
  type CaseKind,
  type CaseSource,
  depositSubject,
  holdingSubject,
  paymentSubject,
  runbookOf,
} from './case.ts'
export { type ClosingReason, closeGate, type Gated } from './close-gate.ts'
export {
  addressIntent,
  offerIntent,
  orderIntent,
  type PaymentIntent,
  paymentIntent,
} from './intent-kinds.ts'
export { createConfirmation, type KeepingDeps } from './keep-open.ts'
export { createKeepPages } from './kept-statements.ts'
export type { Opening } from './open-gate.ts'
export {
  createPlacingGate,
  forcePlacingGate,
  openOffersGate,
  openPaymentsGate,
  openPlacingGate,
} from './placing-gate.ts'
export type { StatementAnswer, StatementLine, Statements, StatementTraits } from './ports.ts'
export {
  type AbsentOrders,
  type Reconciled,
  type ReconcilingDeps,
  reconcile,
  type Window,
} from './reconcile.ts'
export {
  createOfferReconciling,
  type OfferReconcilingDeps,
  type OffersReconciled,
} from './reconcile-offers.ts'
export { type CallLog, createCallLog, withCallLog } from './record-calls.ts'
export type { ReportCase, Reporter } from './report.ts'
export { createReporters, type ReportersDeps } from './reporters.ts'
export { type Resolved, resolveCase } from './resolve.ts'
export {
  CALLS_BY_DAY,
  type CallPace,
  countReversals,
  listCalls,
  readCallPaces,
  type SupplierCall,
} from './store/calls.ts'
export {
  type CaseFilter,
  clearCases,
  countOpenCases,
  findCase,
  findOpenCase,
  listCases,
  listCasesOfItems,
  listEntries,
  listUnmatchedPurchases,
  newestEntryId,
  type OpenCases,
  resolveAdopted,
  resolveUnmatchedPurchases,
  type UnmatchedFilter,
} from './store/cases.ts'
export {
  BOTS,
  findGate,
  GATES_CLOSED,
  type GateName,
  listClosedGates,
  PAYMENTS,
} from './store/gates.ts'
export { pruneLines } from './store/statement-lines.ts'
