// The payer of the sandbox's card payments: it opens each page at once, as a person's browser would. So the
// order is there from the beginning, for the sandbox's console and for programs that end it by our id.
import type { OnrampProvider } from '#ports/deposits'

const DEADLINE_MS = 5_000

export const withDemoPayer = <Provider extends OnrampProvider>(onramp: Provider): Provider => ({
  ...onramp,
  async createSession(order, context) {
    const answer = await onramp.createSession(order, context)
    if (answer.kind === 'created') await open(answer.order.widgetUrl)
    return answer
  },
})

/** While the sandbox is away the order begins when its page is opened. */
async function open(widgetUrl: string): Promise<void> {
  try {
    const page = await fetch(widgetUrl, {
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    await page.body?.cancel()
  } catch {
    // The session is open all the same.
  }
}
