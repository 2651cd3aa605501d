// Writes the list of events out as a page for people.
import type { TObject } from 'typebox'

interface DocumentedEvent {
  readonly type: string
  readonly summary: string
  readonly data: TObject
}

/** Markdown: one row an event, with the fields of its data. */
export function eventsPage(events: Readonly<Record<string, DocumentedEvent>>): string {
  const rows = Object.values(events).map(
    ({ type, summary, data }) => `| \`${type}\` | ${summary} | ${fieldsOf(data)} |`,
  )
  return `${[INTRODUCTION, ['| Event | When | `data` |', '|---|---|---|', ...rows].join('\n')].join('\n\n')}\n`
}

const fieldsOf = (data: TObject): string =>
  Object.entries(data.properties)
    .map(([name, schema]) => `\`${name}\` (${kindOf(schema)})`)
    .join(', ')

/** Its name, or the JSON types that it may have. */
const kindOf = ({ title, type }: { readonly title?: string; readonly type?: unknown }): string =>
  title ?? [type].flat().join(' or ')

const INTRODUCTION = `<!-- Written by \`node tools/events-page.ts\` from packages/contract/src/events/. Edit those files. -->

# Events

The same events arrive as signed webhooks, at \`/user/live\` and at \`GET /merchant/events\`; the timeline of a trade lists its own. Their data shows the subject as it is at the time of sending or reading. The shapes are in the OpenAPI document (\`/openapi/merchant.json\`), under \`webhooks\`.

A later version of the service may send types that are not in this list: answer them with a 2xx and ignore them.`
