// SQL of the audit of outbound.
import { auditOfSlice, endOfSliceOf } from '#infra/database/id-slices'

/** Of transactions: their nonces, attempts and ends. */
export const auditOutbound = auditOfSlice('outbound.audit')
export const endOfTransactionSlice = endOfSliceOf('outbound.end_of_slice', 'outbound.transaction')
