/**
 * The acts that the audit log takes. The kernel knows no contract: the edge declares the contract's list into
 * this interface (edges/http/dashboard/audited.ts), so that an act without a text does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface ActCatalogue {}

export type ActName = keyof ActCatalogue
