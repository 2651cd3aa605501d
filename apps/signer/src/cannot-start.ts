/** The program cannot run as it is set up. The message names the setting or file and what to do. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
