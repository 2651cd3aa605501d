// The tabs of the console. Each party's modules register theirs when they are loaded.
import { el } from './dom.mjs'

/** @typedef {(state: {nowMs: number, serviceUrl: string | null}) => Promise<void>} Refresh */

/**
 * @typedef {object} Tab
 * @property {string} id its fragment in the address
 * @property {string} label
 * @property {(main: HTMLElement, rest: string) => Refresh} show `rest` is the address after the id
 * @property {(state: any) => number} [count] shown beside the label when it is not zero
 */

/**
 * What each view begins with.
 * @param {string} heading what it shows
 * @param {...HTMLElement} controls of all of it
 */
export const viewBar = (heading, ...controls) =>
  el('div', { class: 'bar' }, el('h2', {}, heading), ...controls)

/** @type {Tab[]} */
export const tabs = []

/** @param {Tab} tab */
export function addTab(tab) {
  tabs.push(tab)
}
