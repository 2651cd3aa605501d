// What the module needs of a chat platform that people log in to.

/** A person’s account there, in the platform’s own words. */
export interface ChatAccount {
  readonly id: string
  readonly username: string
  readonly discriminator: string
  readonly avatar: string | null
}

/** A browser is sent away with it, and comes back with a code and the same state. */
export interface ChatAuthorization {
  readonly url: string
  /** 256 random bits that tie the answer to the session that asked. */
  readonly state: string
  /** Of PKCE (RFC 7636): who exchanges the code has to know it. */
  readonly verifier: string
}

export type ChatAnswer =
  | { readonly kind: 'account'; readonly account: ChatAccount }
  /** The code is unknown, used, expired, or belongs to another request. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** No answer, or one that cannot be used. The code is not sent again. */
  | { readonly kind: 'unavailable'; readonly detail: string }

export interface ChatPlatform {
  authorize(redirectUri: string): Promise<ChatAuthorization>
  readAccount(answer: {
    readonly code: string
    readonly state: string
    readonly verifier: string
    readonly redirectUri: string
  }): Promise<ChatAnswer>
}
