// The sandbox's control interface, for what the tests' own client of it has no name for.
export type Control = <Data = unknown>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<Data>

export const createControl =
  (sandboxUrl: string): Control =>
  async (method, path, body) => {
    const response = await fetch(`${sandboxUrl}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
