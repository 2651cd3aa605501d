/**
 * Something outside the code keeps a process from starting: a busy port, an unreachable database, a
 * data folder of a newer version. It is reported in a sentence for each cause, without a stack, and ends
 * with exit code 1.
 */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
