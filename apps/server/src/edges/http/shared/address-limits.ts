// The rate limits of callers that are known by their address alone: those that try keys, and those that call
// a route that needs none.

import { isIPv4, isIPv6 } from 'node:net'
import { ADDRESS_LIMITS, type AddressLimit, LIMIT_WINDOW_SECONDS } from '@tradepost/contract'
import type { Claim, Verdict } from '#infra/limits/rate-limit/claim'
import { capHeaders, type LimitsDeps, rateLimited, usageOf } from './limits.ts'
import type { AddressLimits } from './ports.ts'

export interface AddressLimitsDeps extends LimitsDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
}

/** Of a refused address: good keys get through, and floods of made-up ones cost this much at once. */
const LOOK_UPS_OF_REFUSED = 4

/** Addresses that are refused at this moment; above this many the oldest go free. */
const MAX_REFUSED = 10_000

export function createAddressLimits({
  limiter,
  scale,
  nowMs,
  onRefused,
}: AddressLimitsDeps): AddressLimits {
  /** Until when, by address. In this process: the others learn it from the address's next failure. */
  const refused = new Map<string, number>()
  /** Look-ups under way, of addresses that are refused. */
  const lookUps = new Map<string, number>()

  const claimOf = (source: string, { policy, limit }: AddressLimit): Claim => ({
    key: `{${source}}:${policy}`,
    limit: limit * scale,
    cost: 1,
  })

  const refuse = (source: string, waitMs: number): void => {
    if (refused.size >= MAX_REFUSED) refused.delete(refused.keys().next().value as string)
    refused.set(source, nowMs() + waitMs)
  }

  const refusalOf = ({ policy }: AddressLimit, { limit }: Claim, waitMs: number) => {
    onRefused?.('ip')
    return rateLimited({ scope: 'ip', policy, limit, windowSeconds: LIMIT_WINDOW_SECONDS, waitMs })
  }

  /** The address of the caller while it is refused, with the time until it no longer is. */
  const refusedSourceOf = (caller: { readonly ip: string }) => {
    // Nearly always; behind a proxy the address would have to be read out of headers first.
    if (refused.size === 0) return null
    const source = sourceOf(caller.ip)
    const waitMs = (refused.get(source) ?? 0) - nowMs()
    if (waitMs > 0) return { source, waitMs }
    refused.delete(source)
    return null
  }
  const throwRefused = ({ source, waitMs }: { source: string; waitMs: number }): never => {
    const { failedKeys } = ADDRESS_LIMITS
    throw refusalOf(failedKeys, claimOf(source, failedKeys), waitMs)
  }

  return {
    refuseKeyGuesser(caller) {
      const found = refusedSourceOf(caller)
      if (found !== null) throwRefused(found)
    },

    enterLookUp(caller) {
      const found = refusedSourceOf(caller)
      if (found === null) return () => {}
      const { source } = found
      const underWay = lookUps.get(source) ?? 0
      if (underWay >= LOOK_UPS_OF_REFUSED) throwRefused(found)
      lookUps.set(source, underWay + 1)
      return () => {
        const left = (lookUps.get(source) ?? 1) - 1
        if (left > 0) lookUps.set(source, left)
        else lookUps.delete(source)
      }
    },

    async noteFailedKey(ip) {
      const source = sourceOf(ip)
      const claim = claimOf(source, ADDRESS_LIMITS.failedKeys)
      const verdict = await limiter.take([claim])
      const [level] = verdict.levels
      if (!verdict.admitted) {
        const waitMs = waitOf(verdict)
        refuse(source, waitMs)
        throw refusalOf(ADDRESS_LIMITS.failedKeys, claim, waitMs)
      }
      if (level && level.used >= claim.limit) refuse(source, level.resetMs)
    },

    async admit(ip, limit) {
      const claim = claimOf(sourceOf(ip), limit)
      const verdict = await limiter.take([claim])
      const level = verdict.levels[0] ?? { used: 0, resetMs: 0 }
      return {
        headers: capHeaders(
          { policy: limit.policy, windowSeconds: LIMIT_WINDOW_SECONDS },
          usageOf(claim.limit, level),
        ),
        refusal: verdict.admitted ? null : refusalOf(limit, claim, waitOf(verdict)),
      }
    },
  }
}

const waitOf = ({ waitsMs }: Verdict): number => waitsMs[0] ?? 0

/**
 * Whom an address stands for. Of IPv6 it is the network of 64 bits, which is the least that anybody is
 * given: its owner has 2^64 addresses.
 */
export function sourceOf(ip: string): string {
  if (isIPv4(ip)) return ip
  if (!isIPv6(ip)) return 'unknown'
  const [address = ''] = ip.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [front = '', back] = address.toLowerCase().split('::')
  const left = front === '' ? [] : front.split(':')
  const groups =
    back === undefined
      ? left
      : [
          ...left,
          ...Array<string>(Math.max(0, 8 - left.length - groupsOf(back))).fill('0'),
          ...back.split(':'),
        ]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** An IPv4 address at the end stands for two groups. */
const groupsOf = (back: string): number =>
  back === '' ? 0 : back.split(':').length + (back.includes('.') ? 1 : 0)
