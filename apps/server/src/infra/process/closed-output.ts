// The reader of a command's output may leave before its end, as `| head` does: no fault, and an end.

/** Ends the process quietly, in the order of a stop where it has one. */
export function endWhenUnread(output: NodeJS.WriteStream): void {
  let hasEnded = false
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (hasEnded) return
    hasEnded = true
    if (code === 'EPIPE' && process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM')
    else process.exit(code === 'EPIPE' ? 0 : 1)
  })
}
