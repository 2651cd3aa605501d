// The programs on the README, so that the page cannot promise what does not work.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const README = join(import.meta.dirname, '../../README.md')

/** By the name in the comment above each. */
export function examples(): Map<string, string> {
  const found = readFileSync(README, 'utf8').matchAll(
    /<!-- example: ([a-z-]+) -->\n\n```ts\n([\s\S]*?)```/g,
  )
  return new Map([...found].map(([, name = '', code = '']) => [name, code]))
}
