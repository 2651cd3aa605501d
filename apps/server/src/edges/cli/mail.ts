// The messages that the service sends, with details as they may come.
import { MAIL_SAMPLES, type MailTemplate, renderMail } from '#mail'
import { AS_JSON, argument, command } from './declare.ts'
import { json } from './table.ts'

const TEMPLATES = Object.keys(MAIL_SAMPLES) as MailTemplate[]

export const mailCommand = command(
  'mail:preview',
  'the messages that people get; one of them as text, or --json with its HTML',
  argument('[message]', 'which', TEMPLATES),
  AS_JSON,
).does(async (_context, template, options) => {
  if (template === undefined) {
    return TEMPLATES.map((name) => `${name}: ${subjectOf(name)}`).join('\n')
  }
  const mail = renderMail(template, MAIL_SAMPLES[template])
  return options.json ? json(mail, 2) : `Subject: ${mail.subject}\n\n${mail.text}`
})

const subjectOf = (name: MailTemplate): string => renderMail(name, MAIL_SAMPLES[name]).subject
