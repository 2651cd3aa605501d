// A real SMTP server that keeps every message and sends none.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string | null
  readonly to: readonly string[]
  readonly subject: string | null
  readonly messageId: string | null
  readonly text: string | null
  readonly html: string | null
}

export interface SmtpParty {
  /** Starts the server when it is asked for the first time. */
  address(): Promise<{ readonly host: string; readonly port: number }>
  close(): void
}

const HOST = '127.0.0.1'
const MAX_BYTES = 1024 * 1024

export function createSmtp(port: number, onMail: (mail: ReceivedMail) => void): SmtpParty {
  let started: Promise<SMTPServer> | null = null
  const start = async (): Promise<SMTPServer> => {
    const server = new SMTPServer({
      ...{ authOptional: true, disabledCommands: ['STARTTLS'], size: MAX_BYTES },
      // A look-up of the caller's name costs more than the message.
      disableReverseLookup: true,
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        receive(stream, to).then(
          (mail) => {
            onMail(mail)
            done()
          },
          (error) => done(error instanceof Error ? error : new Error(String(error))),
        )
      },
    })
    server.on('error', () => {})
    server.listen(port, HOST)
    await once(server.server, 'listening')
    return server
  }
  return {
    address: async () => {
      started ??= start()
      const { address, port: at } = (await started).server.address() as AddressInfo
      return { host: address, port: at }
    },
    close: () => void started?.then((server) => server.close()),
  }
}

async function receive(stream: SMTPServerDataStream, to: readonly string[]): Promise<ReceivedMail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  if (stream.sizeExceeded) throw new Error('the message is too large')
  const { from, subject, messageId, text, html } = await PostalMime.parse(Buffer.concat(chunks))
  return {
    from: from?.address ?? null,
    to,
    subject: subject ?? null,
    messageId: messageId ?? null,
    text: text ?? null,
    html: html ?? null,
  }
}
