// A client that sends one message over SMTP (RFC 5321), line by line.
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export interface SmtpAddress {
  readonly host: string
  readonly port: number
}

/** Sends a message with a subject and a short text, or with HTML; rejects when the server refuses a step. */
export async function sendMail(
  { host, port }: SmtpAddress,
  subject: string,
  html: string | null = null,
): Promise<void> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
  const expect = async (code: string): Promise<void> => {
    for (;;) {
      const { value = '' } = await replies.next()
      if (!value.startsWith(code)) throw new Error(`the mail server answered ${value}`)
      if (value[3] !== '-') return
    }
  }
  const headers = [
    ...['From: service@example.com', 'To: a@example.com', `Subject: ${subject}`],
    ...(html === null ? [] : ['Content-Type: text/html; charset=utf-8']),
  ].join('\r\n')
  await expect('220')
  for (const [line, code] of [
    ['EHLO localhost', '250'],
    ['MAIL FROM:<service@example.com>', '250'],
    ['RCPT TO:<a@example.com>', '250'],
    ['DATA', '354'],
    [`${headers}\r\n\r\n${html ?? 'Text.'}\r\n.`, '250'],
    ['QUIT', '221'],
  ] as const) {
    socket.write(`${line}\r\n`)
    await expect(code)
  }
  socket.end()
}
