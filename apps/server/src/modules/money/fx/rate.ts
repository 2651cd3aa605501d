/** US dollars for one euro, in millionths. */
export interface Rate {
  readonly usdPerEurMicros: bigint
  /** The day that the source names, yyyy-mm-dd. */
  readonly asOf: string
}
