// The text of a page for programs: Markdown as the repository has it, with links that lead to the site.

const FENCE = /(^```[\s\S]*?^```$)/m
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g

/**
 * `resolve` answers where a link leads, or null for a link that is to be plain words. Comments, which say how
 * a page is tested, are left out; code stays as it is, without the words that say how it is run.
 */
export function plainMarkdown(text: string, resolve: (target: string) => string | null): string {
  return text
    .replace(/<!--[\s\S]*?-->\n*/g, '')
    .split(FENCE)
    .map((part, i) => (i % 2 === 1 ? part.replace(/^```(\w+) [^\n]*/, '```$1') : redirect(part)))
    .join('')

  function redirect(words: string): string {
    return words.replace(LINK, (_, label: string, target: string) => {
      const address = resolve(target)
      return address === null ? label : `[${label}](${address})`
    })
  }
}
