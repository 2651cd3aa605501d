// A reporter of node's test runner, which wants a default export: at the end of a run it prints how long the
// slowest files took. Two files run at a time, so the sum is about twice the time on the clock.

const SHOWN = 15
/** A run of a few files needs no table. */
const MIN_FILES = 5

/** @param {AsyncIterable<{ type: string, data: { file?: string, duration_ms?: number } }>} events */
export default async function* slowestFiles(events) {
  const files = []
  for await (const { type, data } of events) {
    if (type !== 'test:summary' || data.file === undefined) continue
    files.push({ path: data.file, seconds: (data.duration_ms ?? 0) / 1000 })
  }
  if (files.length >= MIN_FILES) yield table(files)
}

function table(files) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)
  const sum = files.reduce((total, { seconds }) => total + seconds, 0)
  const lines = slowest.map(
    ({ path, seconds }) =>
      `${seconds.toFixed(1).padStart(7)} s  ${path.replace(`${process.cwd()}/`, '')}`,
  )
  return `\nThe slowest of ${files.length} files, which took ${sum.toFixed(0)} s together:\n${lines.join('\n')}\n`
}
