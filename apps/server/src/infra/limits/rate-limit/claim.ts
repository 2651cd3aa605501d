// The words of the rate limits.

/** What one request takes of one limit. */
export interface Claim {
  /** Whose limit, and which. */
  readonly key: string
  /** How much any window may hold. */
  readonly limit: number
  /** How much this request takes; 0 only asks. */
  readonly cost: number
}

export interface Level {
  /** What the window until now holds. */
  readonly used: number
  /** Until the oldest of it leaves the window; 0 when it holds nothing. */
  readonly resetMs: number
}

export interface Verdict {
  /** Either all claims were taken, or none. */
  readonly admitted: boolean
  /** After the decision, one for each claim. */
  readonly levels: readonly Level[]
  /** Of a refusal, for each claim: how long until there would be room for it; 0: there is now. */
  readonly waitsMs: readonly number[]
}
