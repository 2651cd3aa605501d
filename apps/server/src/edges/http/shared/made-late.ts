// What takes long to make and is not needed at the start of a process: it is made at its first use, or one
// after the other a while after the start. Made by requests alone, a burst of first calls of several routes
// held up all others for a tenth of a second.

export interface MadeLate {
  /** What gives the part; it is made once. */
  part<Part>(make: () => Part): () => Part
  /** Makes the rest in time. */
  begin(): void
  stop(): void
}

export interface LateTimes {
  /** Processes that live for less need few parts. */
  readonly afterMs: number
  /** Between two parts. */
  readonly everyMs: number
}

const TIMES: LateTimes = { afterMs: 30_000, everyMs: 100 }

export function createMadeLate({ afterMs, everyMs }: LateTimes = TIMES): MadeLate {
  const unmade = new Set<() => unknown>()
  let timer: NodeJS.Timeout | undefined
  const makeNext = (): void => {
    const [next] = unmade
    if (next === undefined) return
    next()
    timer = setTimeout(makeNext, everyMs).unref()
  }
  return {
    part: (make) => {
      let made: ReturnType<typeof make> | null = null
      const get = (): ReturnType<typeof make> => {
        unmade.delete(get)
        made ??= make()
        return made
      }
      unmade.add(get)
      return get
    },
    begin: () => {
      timer = setTimeout(makeNext, afterMs).unref()
    },
    stop: () => clearTimeout(timer),
  }
}
