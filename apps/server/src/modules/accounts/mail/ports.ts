// What the module needs of a mail server.

export interface OutgoingMail {
  /** The same for each attempt of one message (RFC 5322, section 3.6.4), without angle brackets. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export type MailAnswer =
  | { readonly kind: 'accepted' }
  /** For good: the address does not exist, or the message is not wanted (5yz of RFC 5321). */
  | { readonly kind: 'refused'; readonly detail: string }
  /** Not now, or the answer was lost: it may have been accepted. */
  | { readonly kind: 'unavailable'; readonly detail: string }

export interface Mailer {
  send(mail: OutgoingMail): Promise<MailAnswer>
}
