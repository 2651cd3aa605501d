// Search parameters as the interface takes them: `?status=hold,active`, every value a text. The router's own
// form would be JSON.

export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  // A comma needs no escape in a query (RFC 3986, section 3.4), and is easier to read without.
  const text = new URLSearchParams(entries).toString().replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}
