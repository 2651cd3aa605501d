/** Any command of the sandbox's control interface, by its path below `/control`. */
export type SandboxCall = <Answer = unknown>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<Answer>

/** Throws what was answered when a command is refused. */
export const createSandboxCall =
  (sandboxUrl: string, deadlineMs = 20_000): SandboxCall =>
  async (method, path, body) => {
    const response = await fetch(`${sandboxUrl}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(deadlineMs),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
