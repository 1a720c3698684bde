/** Data that are refused, or an update that failed. The message says why, and what to do if the operator can do something. */
export class UpdateError extends Error {
  override readonly name = "UpdateError";
}
