import { auditOfSlice, endOfSliceOf } from '#infra/database/id-slices'

export const auditTrades = auditOfSlice('trades.audit')
export const auditFills = auditOfSlice('trades.audit_fills')
export const endOfSlice = endOfSliceOf('trades.end_of_slice', 'trades.trade')
