// One open socket, and what is done when its reader is slow: it stops being written to, what it should
// have is kept by listing (the latest frame wins, and a remove is a latest frame like any other), and in
// the end it is closed. The frames that are kept are shared with other sockets, so keeping costs a reference.
import type { Socket } from 'node:net'
import { LIVE_CLOSE_CODES } from '@tradepost/contract'
import { WebSocket } from 'ws'
import type { TokenSession } from '#identity'
import type { Frame, Tick } from './frames.ts'

/** More than this unsent: the reader is slow. */
const SLOW_BYTES = 64 * 1024
/** Less than this unsent: it may have more. */
const RESUME_BYTES = 16 * 1024
/** What a slow reader gets at a time. */
const PORTION_BYTES = 64 * 1024
const MAX_BUFFERED_BYTES = 1024 * 1024
const SLOW_FOR_MS = 10_000
/** More than a client that comes back can have missed (recent.ts), and what changes while it is sent. */
const MAX_WAITING = 30_000
/** What a waiting frame costs beside the frame, which is shared. */
const WAITING_BYTES = 128
/** A close frame stands behind what is unsent: who does not read does not get it. */
const CLOSE_TIMEOUT_MS = 2000

/** What happens to all sockets of a process, for its metrics. */
export interface SocketMeters {
  onConflated(frames: number): void
  onClosed(code: number): void
}

export interface SocketOwner {
  readonly accountId: string
  readonly tenantId: string
  readonly keyId: string
  /** From which its token was asked for. */
  readonly address: string
  /** Of the person who asked for its token in the dashboard. */
  readonly session: TokenSession | null
}

export class LiveSocket {
  readonly ws: WebSocket
  readonly owner: SocketOwner
  missedPings = 0
  /** When it was last written to; null before its greeting. */
  writtenMs: number | null = null
  // Written to as a socket: `ws` would make a frame for each reader.
  readonly #raw: Socket
  readonly #meters: SocketMeters
  #waiting: Map<bigint, Frame> | null = null
  #slowSinceMs = 0
  #isClosing = false

  constructor(ws: WebSocket, raw: Socket, owner: SocketOwner, meters: SocketMeters) {
    this.ws = ws
    this.#raw = raw
    this.owner = owner
    this.#meters = meters
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.ws.readyState === WebSocket.OPEN && !this.#raw.destroyed
  }

  /** It must be looked after until it has caught up. */
  get isSlow(): boolean {
    return this.#waiting !== null
  }

  /** What it makes the process keep. */
  get bufferedBytes(): number {
    return this.#raw.writableLength + (this.#waiting?.size ?? 0) * WAITING_BYTES
  }

  /** A frame that nothing may stand for. True when the reader has become slow by it. */
  write(frame: Buffer, nowMs: number): boolean {
    if (!this.isOpen) return false
    this.#write([frame], nowMs)
    return this.#noteSlow(nowMs)
  }

  /** Writes what all sockets get. True when the reader has become slow by it. */
  writeTick({ segments, frames }: Tick, nowMs: number): boolean {
    if (!this.isOpen) return false
    if (this.#waiting !== null) {
      this.#keep(this.#waiting, frames)
      return false
    }
    this.#write(segments, nowMs)
    return this.#noteSlow(nowMs)
  }

  /** From here on what it gets of each tick waits, as it does for a slow reader. */
  hold(nowMs: number): void {
    if (!this.isOpen) return
    this.#waiting ??= new Map()
    this.#slowSinceMs = nowMs
  }

  /**
   * Many frames at once, older than what waits already, which go out in portions; the bytes of each are read
   * when its portion is sent.
   */
  writeLater(frames: readonly Frame[], nowMs: number): void {
    this.hold(nowMs)
    if (this.#waiting === null) return
    const newer = this.#waiting
    this.#waiting = new Map(frames.map((frame) => [frame.id, frame]))
    for (const [id, frame] of newer) this.#waiting.set(id, frame)
  }

  /** For slow ones, again and again: sends what can be sent, and gives up on who reads nothing. */
  lookAfter(nowMs: number): void {
    const waiting = this.#waiting
    if (waiting === null || !this.isOpen) return
    const buffered = this.#raw.writableLength
    if (buffered <= SLOW_BYTES) this.#slowSinceMs = nowMs
    const isTooSlow =
      buffered > MAX_BUFFERED_BYTES ||
      waiting.size > MAX_WAITING ||
      nowMs - this.#slowSinceMs > SLOW_FOR_MS
    if (isTooSlow) {
      this.closeSlow()
      return
    }
    if (buffered < RESUME_BYTES) this.#sendPortion(waiting, nowMs)
    if (waiting.size === 0 && this.#raw.writableLength <= SLOW_BYTES) this.#waiting = null
  }

  closeSlow(): void {
    this.close(LIVE_CLOSE_CODES.slow, 'Too slow')
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#waiting = null
    this.#meters.onClosed(code)
    this.ws.close(code, reason)
    setTimeout(() => this.ws.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  /** It is gone without a word from us. */
  ended(): void {
    this.#isClosing = true
    this.#waiting = null
  }

  #noteSlow(nowMs: number): boolean {
    const buffered = this.#raw.writableLength
    if (buffered > MAX_BUFFERED_BYTES) this.closeSlow()
    if (buffered <= SLOW_BYTES || this.#waiting !== null || this.#isClosing) return false
    this.#waiting = new Map()
    this.#slowSinceMs = nowMs
    return true
  }

  #keep(waiting: Map<bigint, Frame>, frames: readonly Frame[]): void {
    const before = waiting.size
    for (const frame of frames) waiting.set(frame.id, frame)
    this.#meters.onConflated(frames.length - (waiting.size - before))
  }

  #sendPortion(waiting: Map<bigint, Frame>, nowMs: number): void {
    const portion: Buffer[] = []
    let length = 0
    for (const [id, { bytes }] of waiting) {
      if (length >= PORTION_BYTES) break
      portion.push(bytes)
      length += bytes.length
      waiting.delete(id)
    }
    if (length > 0) this.#write(portion, nowMs)
  }

  /** All of it in one call of the system, and none of it copied. */
  #write(segments: readonly Buffer[], nowMs: number): void {
    this.#raw.cork()
    for (const bytes of segments) this.#raw.write(bytes)
    this.#raw.uncork()
    this.writtenMs = nowMs
  }
}
