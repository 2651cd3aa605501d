// The messages that the service sends, with facts as they may come.
import { MAIL_SAMPLES, type MailTemplate, renderMail } from '#mail'
import { type Command, usage } from './invocation.ts'
import { json } from './table.ts'

const TEMPLATES = Object.keys(MAIL_SAMPLES) as MailTemplate[]

export const mailCommands: Readonly<Record<string, Command>> = {
  'mail:preview': async ({ argument, options }) => {
    if (argument === undefined) {
      return TEMPLATES.map((name) => `${name}: ${subjectOf(name)}`).join('\n')
    }
    const template = TEMPLATES.find((name) => name === argument)
    if (template === undefined) return usage(`there is no message “${argument}”`)
    const mail = renderMail(template, MAIL_SAMPLES[template])
    return options.json ? json(mail, 2) : `Subject: ${mail.subject}\n\n${mail.text}`
  },
}

const subjectOf = (name: MailTemplate): string => renderMail(name, MAIL_SAMPLES[name]).subject
