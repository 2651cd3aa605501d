// The requests of API keys, for their owners.
import { createKeyRequestNotes } from '#identity'
import type { Answered, AnsweredWith } from '../../edges/http/shared/exchange.ts'
import type { Resources } from '../resources.ts'

export interface KeyRequests {
  /** A request that is over; one without a key that is known is not noted. */
  note(answered: Answered, exchange: AnsweredWith): void
  stop(): Promise<void>
}

/** No status of HTTP: what was to be answered did not arrive. */
const CLIENT_LEFT = 499

export function openKeyRequests({
  db,
  clock,
  log,
  metrics,
}: Pick<Resources, 'db' | 'clock' | 'log' | 'metrics'>): KeyRequests {
  const dropped = metrics.counter(
    'key_requests_dropped_total',
    'Requests of API keys that their owners do not see: above a tenant’s pace, too many at once, not written',
    ['because'],
  )
  const notes = createKeyRequestNotes({
    ...{ db, clock },
    onDropped: (because, count) => dropped.labels(because).inc(count),
    onError: (error) => log.warn({ err: error }, 'requests of keys are not written'),
  })
  return {
    note({ requestId, method, route, durationMs, errorKey, ...answered }, { key, tradeId }) {
      if (key === null) return
      notes.note(key.ownerId, {
        id: requestId,
        keyId: key.id,
        startedAt: new Date(clock.now().getTime() - durationMs),
        durationMs: Math.round(durationMs),
        ...{ method, route, errorKey, tradeId },
        status: answered.aborted ? CLIENT_LEFT : answered.status,
      })
    },
    stop: notes.stop,
  }
}
