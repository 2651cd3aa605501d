// Lines about the processes: those that are gone, what is held back, and how well the one that answers does.
import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { Notice } from '../../kit/notice.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'

/** As the alerts ErrorsHigh, SlowBuys, SlowReads and EventLoopBlocked. */
const FAILED_SHARE = 0.01
const BUY_SECONDS = 1
const READ_SECONDS = 0.5
const LOOP_LAG_SECONDS = 0.25

export const ProcessAlarms = ({
  health: { process, silentProcesses, closedGates },
}: {
  readonly health: Pick<AdminHealth, 'process' | 'silentProcesses' | 'closedGates'>
}) => (
  <>
    {silentProcesses.map(({ processId, lastBeatAt }) => (
      <Notice key={processId} tone="bad">
        {words.silentProcess(processId)} (<Ago at={lastBeatAt} />
        ).
      </Notice>
    ))}
    {process.historyChangedAt !== null && (
      <Notice tone="warn">
        {words.historyChanged} (<Ago at={process.historyChangedAt} />
        ).
      </Notice>
    )}
    {!isWell(process) && (
      <Notice tone="warn">
        {words.ownProcess}: {processText(process)}
      </Notice>
    )}
    {closedGates.map(({ gate, since }) => (
      <Notice key={gate} tone="bad">
        {words.gateClosed(marketName(gate))} (<Ago at={since} />
        ).
      </Notice>
    ))}
  </>
)

/** How the process that answers does, in a line. */
export const processText = (process: AdminHealth['process']): string =>
  [
    words.ownRequests(process.requests, process.failed),
    words.ownTimes(
      secondsText(process.buySeconds),
      secondsText(process.readSeconds),
      `${Math.round(process.loopLagSeconds * 1000)} ms`,
    ),
  ].join(' ')

const isWell = ({
  requests,
  failed,
  buySeconds,
  readSeconds,
  loopLagSeconds,
}: AdminHealth['process']): boolean =>
  failed <= requests * FAILED_SHARE &&
  (buySeconds ?? 0) <= BUY_SECONDS &&
  (readSeconds ?? 0) <= READ_SECONDS &&
  loopLagSeconds <= LOOP_LAG_SECONDS

const secondsText = (seconds: number | null): string | null =>
  seconds === null ? null : `${seconds} s`
