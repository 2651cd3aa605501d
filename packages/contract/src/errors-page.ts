// Writes the catalogue of errors out as a page for people.
import { ERROR_GROUPS, type ErrorEntry, type Retry } from './errors.ts'

const RETRY: Readonly<Record<Retry, string>> = {
  never: 'No. The same request gets the same answer.',
  later: 'Yes, after a pause, with the same idempotency reference.',
  'after-fix': 'Once the cause is fixed.',
}

/** Markdown, grouped by hundreds; each key is an anchor of its own. */
export function errorsPage(errors: Readonly<Record<string, ErrorEntry>>): string {
  const entries = Object.entries(errors).sort(([, one], [, other]) => one.code - other.code)
  const sections = ERROR_GROUPS.flatMap((group) => {
    const members = entries.filter(([, { code }]) => code - (code % 100) === group.from)
    return members.length === 0
      ? []
      : [`## ${group.from / 100}xx: ${group.title}`, ...members.map(section)]
  })
  return `${[INTRODUCTION, overview(entries), ...sections].join('\n\n')}\n`
}

const INTRODUCTION = `<!-- Written by \`node tools/errors-page.ts\` from packages/contract/src/errors.ts. Edit that file. -->

# Errors

Every failure has this body, whatever its HTTP status:

\`\`\`json
{
  "requestId": "019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d",
  "success": false,
  "error": { "code": 2011, "key": "LISTING_NOT_FOUND", "message": "The listing is gone." }
}
\`\`\`

Branch on \`key\`. \`code\` names the same thing as a number, \`message\` is for people and may change, \`meta\` carries details where a key has any.
A single item that fails after its buy was accepted is not an error of a request: it shows in the item's \`error\` and in the events.`

function overview(entries: readonly [string, ErrorEntry][]): string {
  const rows = entries.map(
    ([key, entry]) => `| ${entry.code} | ${statuses(entry)} | [${key}](#${anchor(key)}) |`,
  )
  return ['| Code | HTTP | Key |', '|---|---|---|', ...rows].join('\n')
}

function section([key, entry]: [string, ErrorEntry]): string {
  const details = Object.entries(entry.meta ?? {})
  const meta = details.map(([name, meaning]) => `\`${name}\` (${meaning})`).join(', ')
  return [
    `### ${key}`,
    `Code ${entry.code}, HTTP ${statuses(entry)}. ${entry.message}`,
    [
      `- **Meaning:** ${entry.meaning}`,
      `- **Send it again?** ${RETRY[entry.retry]}`,
      `- **What to do:** ${entry.action}`,
      ...(meta === '' ? [] : [`- **meta:** ${meta}`]),
    ].join('\n'),
  ].join('\n\n')
}

const statuses = (entry: ErrorEntry): string =>
  [entry.status, ...(entry.alsoStatuses ?? [])].join(', ')

/** As renderers of Markdown derive it from the heading. */
const anchor = (key: string): string => key.toLowerCase()
