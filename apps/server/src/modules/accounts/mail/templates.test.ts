import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AT, MAIL_SAMPLES } from './samples.ts'
import { type MailTemplate, renderMail } from './templates.ts'

const HOSTILE = '<img src=x onerror=alert(1)>"\'&'

describe('every message', () => {
  for (const template of Object.keys(MAIL_SAMPLES) as MailTemplate[]) {
    it(`${template} says the same in text and HTML, and holds every detail`, () => {
      const details = MAIL_SAMPLES[template]
      const { subject, text, html } = renderMail(template, details)
      assert.ok(subject.length > 0 && subject.length < 80 && !/[\r\n]/.test(subject))
      for (const [name, detail] of Object.entries(details)) {
        const shown = detail === AT ? 'Nov 21, 2026, 9:30 AM UTC' : String(detail)
        assert.ok(text.includes(shown), `${name} in the text`)
        assert.ok(html.includes(shown), `${name} in the HTML`)
      }
      assert.doesNotMatch(text, /\d{4}-\d\d-\d\dT/, 'times are shown as the dashboard shows them')
    })

    it(`${template} shows a hostile text as text`, () => {
      const details = Object.fromEntries(
        Object.entries(MAIL_SAMPLES[template]).map(([name, detail]) => [
          name,
          typeof detail === 'string' ? HOSTILE : detail,
        ]),
      )
      const { html } = renderMail(template, details as never)
      assert.doesNotMatch(html, /<img|onerror=alert\(1\)>"/)
    })

    it(`${template} is not turned around by a text of another person`, () => {
      const details = Object.fromEntries(
        Object.entries(MAIL_SAMPLES[template]).map(([name, detail]) => [
          name,
          typeof detail === 'string' ? '\u202Eabc\r\n\u05D0' : detail,
        ]),
      )
      const { subject, text, html } = renderMail(template, details as never)
      for (const part of [subject, text, html]) {
        assert.doesNotMatch(part, /[\u202A-\u202E\r]|(?<!\u2068[^\u2069]*)\u05D0/)
      }
    })
  }
})
