// Mail over SMTP (RFC 5321), by nodemailer with a small pool of connections.
import type { Transporter } from 'nodemailer'
import type { MailAnswer, Mailer, OutgoingMail } from '#ports/mail'

export interface MailServer {
  /** `smtp://` or `smtps://`, with credentials where the server wants some. */
  readonly url: string
}

export interface MailerDeps {
  /** Asked before each message: the sandbox's server may have moved to another port. */
  findServer(): Promise<MailServer>
  /** `Name <address>`. */
  readonly from: string
}

const CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 30_000

export function createMailer({ findServer, from }: MailerDeps): Mailer & { close(): void } {
  let current: { readonly url: string; readonly transport: Transporter } | null = null
  const transportTo = async (url: string): Promise<Transporter> => {
    // Loaded with the first mail, so that no start waits for it.
    const { createTransport } = await import('nodemailer')
    if (current?.url === url) return current.transport
    current?.transport.close()
    const transport = createTransport(
      {
        ...{ url, pool: true, maxConnections: CONNECTIONS },
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SOCKET_TIMEOUT_MS,
        // A message is text and HTML of our own: nothing is read from a file or fetched for it.
        ...{ disableFileAccess: true, disableUrlAccess: true },
      },
      { from },
    )
    current = { url, transport }
    return transport
  }
  return {
    send: async (mail) => {
      try {
        const { url } = await findServer()
        const transport = await transportTo(url)
        await transport.sendMail(messageOf(mail))
        return { kind: 'accepted' }
      } catch (error) {
        return answerOf(error)
      }
    },
    close: () => current?.transport.close(),
  }
}

const messageOf = ({ messageId, to, subject, text, html }: OutgoingMail) => ({
  ...{ to, subject, text, html },
  messageId: `<${messageId}>`,
  // RFC 3834: no reader answers it by itself.
  headers: { 'Auto-Submitted': 'auto-generated' },
})

/** 5yz is for good (RFC 5321, section 4.2.1); everything else may be accepted later, or was already. */
function answerOf(error: unknown): MailAnswer {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  const isRefused = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  // The server's own text may repeat the address or the message.
  const detail = `${code ?? 'error'} ${responseCode ?? ''}`.trim()
  return { kind: isRefused ? 'refused' : 'unavailable', detail }
}
