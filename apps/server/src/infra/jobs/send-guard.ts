// Guards a call that moves money or items. A process can be suspended at any moment, for longer than its
// lease; what it then sends is sent for work that another process has taken over. So a call leaves only
// after its lease was renewed in the database, and while the lease has more left than the call's deadline.
import {
  type BeginLease,
  createBeginLease,
  type LeaseClocks,
  type LeaseTime,
} from '../database/leases.ts'

export interface SendGuard {
  /**
   * Renews the lease, and commits the intent where there is one, after every wait and right before the call.
   * False: another process has taken the work over, and the call must not be made.
   */
  begin(): Promise<boolean>
  /** What is left of the renewed lease; 0 before. The HTTP client asks immediately before the first byte. */
  remainingMs(): number
}

/**
 * For a lease that is not renewed: it was measured from before the statement that acquired it, and begins
 * nothing but the call.
 */
export const guardOfLease = ({ confirmRemainingMs, remainingMs }: LeaseTime): SendGuard => ({
  begin: async () => (await confirmRemainingMs()) > 0,
  remainingMs,
})

/** Notes outside the database what a call is about to send: see `infra/database/intents.ts`. */
export interface IntentLog<Sent> {
  /** Asked before the intent is committed. */
  isReady(): boolean
  /** After it. False: the call must not leave. */
  note(sent: Sent): boolean
}

export interface SendGuardOptions extends LeaseClocks {
  /** For a call that creates something at the other party. */
  readonly noting?: { isReady(): boolean; note(): boolean }
  /** How long the lease lasts from its renewal. */
  readonly leaseMs: number
  /** One conditional statement: false when the lease is no longer ours. */
  renew(lease: RenewedLease): Promise<boolean>
}

export interface RenewedLease {
  readonly at: Date
  readonly leaseUntil: Date
}

export function createSendGuard({
  leaseMs,
  renew,
  noting,
  ...clocks
}: SendGuardOptions): SendGuard {
  const beginLease: BeginLease = createBeginLease(clocks)
  let lease: LeaseTime | null = null
  return {
    begin: async () => {
      lease = null
      if (noting?.isReady() === false) return false
      // Measured from before the renewal, which may itself be suspended.
      const renewed = await beginLease(leaseMs)
      const at = clocks.clock.now()
      if (!(await renew({ at, leaseUntil: new Date(at.getTime() + leaseMs) }))) return false
      if (noting?.note() === false) return false
      lease = renewed
      return (await renewed.confirmRemainingMs()) > 0
    },
    remainingMs: () => lease?.remainingMs() ?? 0,
  }
}
