// Code in colours. The highlighter's own types bring those of browsers into every file of the program, where
// `document` would then be a known word; so it is required without them, and this is all we use of it.
import { createRequire } from 'node:module'

interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  highlight(code: string, options: { readonly language: string }): { readonly value: string }
}

const LANGUAGES = ['bash', 'go', 'javascript', 'json', 'nginx', 'php', 'python', 'typescript']

/** HTML of spans with classes; the text is escaped. */
export function highlight(code: string, language: string): string {
  highlighter ??= load()
  return highlighter.highlight(code, { language }).value
}

let highlighter: Highlighter | undefined

function load(): Highlighter {
  const require = createRequire(import.meta.url)
  const loaded = require('highlight.js/lib/core') as Highlighter
  for (const name of LANGUAGES) {
    loaded.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
  }
  return loaded
}
