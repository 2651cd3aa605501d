// Mail: messages to people.
export type { MailAnswer, Mailer, OutgoingMail } from './ports.ts'
export { type Notice, queueMail, queueNotice } from './queue.ts'
export { MAIL_SAMPLES } from './samples.ts'
export { type SendDueDeps, sendDueMail } from './send-due.ts'
export { forgetEndedMail, giveUpMail, listWaitingMail, MAIL_DUE } from './store.ts'
export {
  type MailDetails,
  type MailTemplate,
  type NoticeDetails,
  type RenderedMail,
  renderMail,
} from './templates.ts'
