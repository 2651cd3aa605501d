// Mail: messages to people.
export type { MailAnswer, Mailer, OutgoingMail } from './ports.ts'
export { queueMail } from './queue.ts'
export { type SendDueDeps, sendDueMail } from './send-due.ts'
export { type MailFacts, type MailTemplate, type RenderedMail, renderMail } from './templates.ts'
