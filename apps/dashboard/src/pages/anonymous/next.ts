/** Where a login leads: a page of ours, as the router names it, and never another address. */
export function safeNext(next: unknown): string {
  const isOurs = typeof next === 'string' && /^\/(?![/\\])[\w./?=&%,+-]*$/.test(next)
  return `/dashboard${isOurs ? next : '/'}`
}
