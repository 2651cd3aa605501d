// What fx needs from outside the service: the reference rates of the day.

export interface RateSource {
  /** US dollars for one euro, in millionths; the day that the source names (yyyy-mm-dd). */
  fetch(): Promise<{ readonly usdPerEurMicros: bigint; readonly asOf: string }>
}
