// An entry of the audit log: an act of a person, what it was about, and what was asked for.

export type ActorKind = 'operator' | 'administrator' | 'member'

export interface Actor {
  readonly kind: ActorKind
  /** An operator's name on the operating system; the id of a person. */
  readonly id: string
  /** Where the request came from, without secrets: a host, or an address and a request id. */
  readonly request: Readonly<Record<string, string>>
}

export interface Act {
  readonly actor: Actor
  /** `<module>.<verb>`, such as `trading.pause`. */
  readonly act: string
  /** A null id: there is one subject of this type only. */
  readonly subject: { readonly type: string; readonly id: string | null }
  /** What was asked for and why. Never a secret; money and other bigints are kept as text. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly at: Date
}

export interface AuditEntry extends Act {
  readonly id: bigint
}
