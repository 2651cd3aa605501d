// A mail as HTML. Mail readers know no style sheets, so styles stand at the elements. It is light in every
// reader: few of them follow a second theme. Texts of people are escaped; links are ours.
import { COLOURS, FONTS, RADII, TYPE } from '@tradepost/look/tokens'

/** A paragraph is a sentence or two, a link on a line of its own, or a code to type. */
export type Paragraph =
  | string
  | { readonly link: string; readonly label: string }
  | { readonly code: string }

export const SIGNATURE = 'Tradepost'

const { accent, 'on-accent': onAccent, ink, 'ink-3': quiet, white } = COLOURS
const { text: body, fine, display } = TYPE
const STYLES = {
  page: `font:${body.size}px/${body.leading}px ${FONTS.sans};max-width:560px;margin:24px auto;padding:0 16px;color:${ink.light};background:${white.light}`,
  brand: `font-weight:700;color:${accent.light}`,
  button: `display:inline-block;padding:10px 16px;border-radius:${RADII['']}px;background:${accent.light};color:${onAccent.light};text-decoration:none`,
  link: `font-size:${fine.size}px;word-break:break-all`,
  code: `font:${display.size}px/${display.leading}px ${FONTS.mono};letter-spacing:4px`,
  quiet: `color:${quiet.light}`,
}

const element = (tag: string, style: keyof typeof STYLES, content: string, more = ''): string =>
  `<${tag}${more} style="${escapeHtml(STYLES[style])}">${content}</${tag}>`

export function htmlOf(subject: string, paragraphs: readonly Paragraph[]): string {
  const content = paragraphs.map((paragraph) => {
    if (typeof paragraph === 'string') return `<p>${escapeHtml(paragraph)}</p>`
    if ('link' in paragraph) {
      const url = escapeHtml(paragraph.link)
      const button = element('a', 'button', escapeHtml(paragraph.label), ` href="${url}"`)
      return `<p>${button}</p>${element('p', 'link', url)}`
    }
    return element('p', 'code', escapeHtml(paragraph.code))
  })
  const [head, foot] = [element('p', 'brand', SIGNATURE), element('p', 'quiet', SIGNATURE)]
  const page = element('body', 'page', `${head}${content.join('')}${foot}`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light"><title>${escapeHtml(subject)}</title></head>${page}</html>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
