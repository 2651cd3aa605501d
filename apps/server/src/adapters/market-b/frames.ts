// Engine.IO 4 and Socket.IO 4 over one WebSocket, as much of them as market B's feed needs.
import { fieldsOf, listOf, own, parseJson, smallIntegerOf } from '../shared/reader.ts'

export type Frame =
  | { readonly kind: 'open'; readonly pingIntervalMs: number; readonly pingTimeoutMs: number }
  | { readonly kind: 'ping' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'event'; readonly name: string; readonly data: unknown }
  | { readonly kind: 'refused' }
  | { readonly kind: 'other' }

export const PONG = '3'
export const CONNECT = '40'
export const SUBSCRIBE = `42${JSON.stringify(['sub', { name: 'csgo' }])}`

export function readFrame(text: string): Frame {
  if (text === '2') return { kind: 'ping' }
  if (text.startsWith('42')) return readEvent(text.slice(2))
  if (text.startsWith('40')) return { kind: 'connected' }
  if (text.startsWith('44') || text.startsWith('41') || text === '1') return { kind: 'refused' }
  if (text.startsWith('0')) return readOpen(text.slice(1))
  return { kind: 'other' }
}

function readEvent(json: string): Frame {
  const [name, data] = listOf(parseJson(json)) ?? []
  return typeof name === 'string' ? { kind: 'event', name, data } : { kind: 'other' }
}

function readOpen(json: string): Frame {
  const fields = fieldsOf(parseJson(json)) ?? {}
  return {
    kind: 'open',
    pingIntervalMs: smallIntegerOf(own(fields, 'pingInterval')) ?? 25_000,
    pingTimeoutMs: smallIntegerOf(own(fields, 'pingTimeout')) ?? 20_000,
  }
}
