// What the first page reads is asked for while its code is still being loaded; api/call.ts takes the answers.
const ANONYMOUS =
  /\/(login|register|verify-email|forgot-password|reset-password|change-email|keep-factor|invitation)$/
const { pathname, search } = window.location
const begun = new Map()
const begin = (path) => {
  // Read to its end, too: the page is then drawn with it, not before it.
  const answer = fetch(path).then((response) => response.json())
  // A failure is met by whoever takes it.
  answer.catch(() => {})
  begun.set(path, answer)
}
// The server has seen whether there is a session: without one it would refuse each of these.
if (!('anonymous' in document.documentElement.dataset)) {
  if (!ANONYMOUS.test(pathname)) begin('/dashboard/api/session')
  if (pathname === '/dashboard/overview' && search === '') begin('/dashboard/api/overview')
  if (pathname === '/dashboard/partner' && search === '') begin('/dashboard/api/partner/overview')
}
window.begun = begun

// Before the first paint: the theme that was chosen, if any.
const theme = localStorage.getItem('tradepost-theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

// React makes errors while it is loaded, to throw them later; their stacks are never read. For the stack of
// the first one V8 parses all of React once more, a seventh of the time until the log-in page is there.
const { stackTraceLimit } = Error
Error.stackTraceLimit = 0
document.addEventListener('DOMContentLoaded', () => {
  Error.stackTraceLimit = stackTraceLimit
})
